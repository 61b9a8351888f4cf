"""Time, memory and disk of training and embedding against the size of the text.

python -m benchmarks.scale make texts.txt --gigabytes 1 --data DIR    a file of so much text
python -m benchmarks.scale run texts.txt ... --json FILE              train on each, embed it, one line of JSON for each
python -m benchmarks.scale draw FILE --figure docs/figures/scale      the picture

The text is made from documents of IMDB, Wikipedia and novels, drawn again and again, and new words: every document
gets some, numbers drawn from a Zipf distribution without an end, so that the vocabulary grows as it does in real text.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import typer

FILES = ("imdb", "enwiki", "novels")
NEW_WORDS = 0.03  # of the words of a document
EXPONENT = 1.25  # of the Zipf distribution of new words: n of them are about n ** 0.8 different ones
DIGITS = "abcdefghijklmnop"
DOCUMENTS_AT_ONCE = 2_000

app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def make(
    output: Path,
    gigabytes: Annotated[float, typer.Option(min=1e-4)],
    data: Annotated[Path, typer.Option(envvar="DOC2VECC_DATA")],
    seed: int = 0,
) -> None:
    """Write a text file of so many gigabytes, a document a line."""
    random = np.random.default_rng(seed)
    texts = pa.chunked_array([pq.read_table(data / f"{name}.parquet", columns=["text"])["text"] for name in FILES])
    texts = pc.replace_substring_regex(texts.combine_chunks(), r"\s+", " ")
    n_words = pc.add(pc.count_substring(texts, " "), 1).to_numpy()
    written = 0
    with output.open("wb") as file:
        while written < gigabytes * 1e9:
            chosen = random.integers(len(texts), size=DOCUMENTS_AT_ONCE)
            n_new = random.binomial(n_words[chosen], NEW_WORDS)
            numbers = iter(random.zipf(EXPONENT, int(n_new.sum())).tolist())
            lines = []
            for text, count in zip(texts.take(pa.array(chosen)).to_pylist(), n_new.tolist(), strict=True):
                lines.append(" ".join([text, *(_word(next(numbers)) for _ in range(count))]))
            written += file.write(("\n".join(lines) + "\n").encode())


def _word(number: int) -> str:
    """Spell a number with letters: 17 -> "xbb"."""
    return "x" + "".join(DIGITS[int(digit, 16)] for digit in f"{number:x}")


@app.command()
def run(
    inputs: list[Path],
    json_file: Annotated[Path, typer.Option("--json")],
    options: Annotated[str, typer.Option(help="Of doc2vecc train.")] = "--epochs 1 --vector-size 100",
    again: Annotated[bool, typer.Option(help="Also train from the encoded texts of the first training.")] = True,
) -> None:
    """Train on each file and embed it, in processes of their own."""
    for path in inputs:
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            model, workdir = Path(folder) / "model", Path(folder) / "work"
            train = ["train", str(path), "-o", str(model), "--workdir", str(workdir), *options.split()]
            first = measured(train, workdir)
            corpus = sum(one.stat().st_size for one in (workdir / "corpus").iterdir())
            from_workdir = {}
            if again:
                shutil.rmtree(model)
                from_workdir = {"again": measured(train, workdir)}
            vectors = Path(folder) / "vectors.npy"
            embedding = measured(["embed", str(model), str(path), "-o", str(vectors)], workdir)
            line = {
                "bytes": path.stat().st_size,
                "corpus_bytes": corpus,
                "table_bytes": (model / "model.safetensors").stat().st_size,
                "options": options,
                "train": first,
                **from_workdir,
                "embed": embedding,
                "load": os.getloadavg()[1],
            }
            with json_file.open("a") as file:
                file.write(json.dumps(line) + "\n")
            sys.stdout.write(json.dumps(line) + "\n")


def measured(command: list[str], folder: Path) -> dict[str, Any]:
    """Run a command of doc2vecc -> seconds, seconds of computing, peak memory, peak of its files, what it said."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "doc2vecc", *command], stderr=subprocess.PIPE, text=True)
    disk = [0]
    watcher = threading.Thread(target=_watch_disk, args=(process, folder, disk), daemon=True)
    watcher.start()
    said = process.stderr.read() if process.stderr else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    watcher.join()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {said}")
    return {
        "seconds": round(time.perf_counter() - started, 1),
        "computing": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_bytes": usage.ru_maxrss * 1024,
        "disk_bytes": disk[0],
        "said": [line for line in said.splitlines() if line.startswith(("learned", "embedded"))],
    }


def _watch_disk(process: "subprocess.Popen[str]", folder: Path, most: list[int]) -> None:
    """Note the largest sum of temporary files, which have no names, and of the files in a folder."""
    while process.returncode is None:
        size = 0
        seen = set()
        try:
            for handle in os.scandir(f"/proc/{process.pid}/fd"):
                if "doc2vecc-" in str(Path(handle.path).readlink()):
                    stat = Path(handle.path).stat()
                    if stat.st_ino not in seen:
                        seen.add(stat.st_ino)
                        size += stat.st_size
            size += sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())
        except OSError:  # gone meanwhile
            continue
        most[0] = max(most[0], size)
        time.sleep(0.2)


@app.command()
def draw(json_file: Path, figure: Path) -> None:
    """Draw time, memory and disk against the size of the text, as FIGURE.png and FIGURE.svg."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    lines = sorted((json.loads(line) for line in json_file.read_text().splitlines()), key=lambda one: one["bytes"])
    shown, places = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for place, key, title in zip(
        places, ("computing", "peak_bytes", "disk_bytes"), ("CPU minutes", "peak memory, GB", "disk, GB"), strict=True
    ):
        for name, label in (("train", "train"), ("again", "train from the workdir"), ("embed", "embed")):
            if key == "disk_bytes" and name != "train":
                continue
            shown_lines = [line for line in lines if name in line]
            values = [line[name][key] / (60 if key == "computing" else 1e9) for line in shown_lines]
            place.plot([line["bytes"] / 1e9 for line in shown_lines], values, marker="o", label=label)
        place.set(title=title, xlabel="GB of text", xlim=(0, None), ylim=(0, None))
        place.legend(frameon=False)
    for ending in (".png", ".svg"):
        shown.savefig(figure.with_suffix(ending))


if __name__ == "__main__":
    app()
