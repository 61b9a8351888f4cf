"""``doc2vecc serve``: models as an HTTP service."""

from pathlib import Path
from typing import Annotated

import typer


def serve(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Folders made by doc2vecc train.", show_default=False)
    ],
    index: Annotated[
        Path | None,
        typer.Option(metavar="INDEX", help="Folder made by doc2vecc index, for search.", show_default=False),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 is all addresses.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 is any free port.")] = 8080,
    api_key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with client keys, one per line.", show_default=False)
    ] = None,
    no_auth: Annotated[
        bool, typer.Option("--no-auth", help="Allow anyone who can reach the address to use it, without a key.")
    ] = False,
    workers: Annotated[int, typer.Option(metavar="N", help="Number of processes.")] = 1,
    max_body_mb: Annotated[int, typer.Option(metavar="N", help="Maximum size of a request, in megabytes.")] = 32,
    max_texts: Annotated[int, typer.Option(metavar="N", help="Maximum number of texts in a request.")] = 10_000,
    max_concurrent: Annotated[int, typer.Option(metavar="N", help="Maximum concurrent requests per process.")] = 256,
    timeout: Annotated[int, typer.Option(metavar="SECONDS", help="Maximum duration of a request.")] = 30,
) -> None:
    """Serve a search page, and models to clients of OpenAI, text-embeddings-inference and Ollama.

    Example: [bold]doc2vecc serve reviews.d2v[/bold]

    Example: [bold]doc2vecc serve reviews.d2v --index reviews.index --workers 2 --api-key-file keys.txt[/bold]
    """
    from doc2vecc.cli.options import UserError
    from doc2vecc.service.settings import ServeSettings

    settings = ServeSettings(
        models=tuple(models),
        index=index,
        host=host,
        port=port,
        api_key_file=api_key_file,
        no_auth=no_auth,
        workers=workers,
        max_body_mb=max_body_mb,
        max_texts=max_texts,
        max_concurrent=max_concurrent,
        timeout=timeout,
    )
    try:
        from doc2vecc.service.running import serve as run
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "doc2vecc":
            raise
        raise UserError(
            f"the service needs the package {missing!r}, which is not installed: pip install 'doc2vecc[serve]'"
        ) from None
    run(settings)
