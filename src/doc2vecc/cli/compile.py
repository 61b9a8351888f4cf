"""``doc2vecc compile``: fill the cache of compiled kernels, so that nobody waits for it later."""

import time
from typing import Any

from doc2vecc.console import counted, say
from doc2vecc.errors import OutputError

# What has kernels of its own. Everything else is decided while they run.
VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"architecture": "skipgram", "sample": 1e-3},
    {"ngram_range": (1, 2), "ngram_min_count": 1},
    {"reproducible": True},
)
TEXTS = ["one good film and one bad film", "the bad film was one good film"] * 8


def compile_() -> None:
    """Compile all kernels in advance, for container images and new installations.

    The code is stored in your cache folder, or in the folder set by DOC2VECC_CACHE_DIR. It is specific to the type of
    processor and to the versions of Python and the libraries.

    Example: [bold]DOC2VECC_CACHE_DIR=/opt/doc2vecc doc2vecc compile[/bold]
    """
    from doc2vecc.estimator import Doc2VecC
    from doc2vecc.kernels.base.compiler import kernel_folder
    from doc2vecc.search.shares import Explainer

    started, cpu = time.perf_counter(), time.process_time()
    settings: dict[str, Any] = {"vector_size": 8, "min_count": 1, "epochs": 1, "workers": 1}
    for changes in VARIANTS:
        model = Doc2VecC(**settings | changes)
        model.fit_transform(TEXTS)
        vectors = model.transform(TEXTS)
        Explainer(model.model_).explain(vectors[0], TEXTS[0])
    folder = kernel_folder()
    if folder is None:
        raise OutputError("compiled kernels cannot be stored: no cache folder is writable; set DOC2VECC_CACHE_DIR")
    seconds, spent = time.perf_counter() - started, time.process_time() - cpu
    files = counted(sum(1 for _ in folder.iterdir()), "kernel")
    say(f"{files} in {folder}; took {seconds:.1f} s, {spent:.1f} s of it computing")
