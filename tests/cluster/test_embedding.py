"""What embedding on a cluster does without a cluster: the folder, and the file of a piece."""

import pytest

from doc2vecc.cluster.embedding import MANIFEST, clear_folder
from doc2vecc.errors import OutputError


@pytest.fixture
def vectors(tmp_path):
    folder = tmp_path / "vectors"
    folder.mkdir()
    for name in (MANIFEST, "part-00000.parquet", "part-100000.parquet"):
        (folder / name).write_text("{}")
    return folder


@pytest.mark.parametrize("uri", ["", "file://"])
def test_what_is_begun_anew_is_empty(vectors, uri):
    (vectors / ".doc2vecc-abcdefgh.tmp").mkdir()  # of a worker that was killed
    clear_folder(f"{uri}{vectors}")
    assert list(vectors.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.txt", "part-00000.parquet.bak", "figures/a.png"])
def test_what_the_user_has_put_beside_the_vectors_stays(vectors, name):
    (vectors / name).parent.mkdir(exist_ok=True)
    (vectors / name).write_text("mine")
    with pytest.raises(OutputError, match=rf"holds '{name.partition('/')[0]}' beside the vectors; move it"):
        clear_folder(str(vectors))
    assert len(list(vectors.iterdir())) == 4


def test_a_folder_of_other_things_is_left_alone(vectors):
    (vectors / MANIFEST).unlink()
    clear_folder(str(vectors))
    assert len(list(vectors.iterdir())) == 2
