"""What the user decides about a service, checked once, before anything is started."""

import hashlib
import hmac
import ipaddress
import sys
from dataclasses import dataclass
from pathlib import Path

from doc2vecc.config import require
from doc2vecc.errors import ParameterError

SHORTEST_KEY = 16
LARGEST_KEY_FILE = 1 << 20  # bytes
DRAIN_SECONDS = 8  # for requests that are under way when the service ends; the process is gone within 10
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class ServeSettings:
    """Models, index, address and limits."""

    models: tuple[Path, ...]
    index: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8080
    api_key_file: Path | None = None
    no_auth: bool = False
    workers: int = 1
    max_body_mb: int = 32
    max_texts: int = 10_000
    max_concurrent: int = 256  # requests in one process
    timeout: int = 30  # seconds for a request to arrive, and for its answer to be computed

    def __post_init__(self) -> None:
        require("port", self.port, whole=True, low=0, high=65535)
        for name in ("workers", "max_body_mb", "max_texts", "max_concurrent", "timeout"):
            require(name, getattr(self, name), whole=True, low=1)
        if self.workers > 1 and sys.platform == "win32":  # there is no signal that tells workers to load again
            raise ParameterError(f"workers={self.workers} does not fit Windows, where one process serves; leave it out")
        names = [model_name(folder) for folder in self.models]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(f"two models have the name {name!r}; the folders must have different names")
        if not is_loopback(self.host) and self.api_key_file is None and not self.no_auth:
            raise ParameterError(
                f"host {self.host} can be reached from other machines; give keys with --api-key-file, or say "
                "--no-auth if everyone who reaches it may use it"
            )

    @property
    def max_body(self) -> int:
        """The largest body of a request, in bytes."""
        return self.max_body_mb << 20

    @property
    def allowed_hosts(self) -> frozenset[str] | None:
        """The names by which a browser may reach a service without keys; None if there are keys, or --no-auth.

        A page of another site could otherwise give its own name our address, and read what we answer.
        """
        if self.api_key_file is not None or self.no_auth:
            return None
        return frozenset({*LOOPBACK_NAMES, self.host.lower()})


class Keys:
    """The keys that may use the service, as digests; none means that no key is needed."""

    def __init__(self, keys: list[str]) -> None:
        self._digests = [_digest(key.encode()) for key in keys]

    def __bool__(self) -> bool:
        return bool(self._digests)

    def accept(self, key: bytes) -> bool:
        """Tell whether a key is one of ours; the time does not depend on which, or on how much of it is right."""
        given = _digest(key)
        return sum([hmac.compare_digest(given, own) for own in self._digests]) > 0


def read_keys(path: Path | None) -> Keys:
    """Read a file with one key a line; empty lines and those that begin with # are ignored."""
    if path is None:
        return Keys([])
    try:
        if path.stat().st_size > LARGEST_KEY_FILE:
            raise ParameterError(f"the key file {path} has more than 1 MB; write one key a line")
        lines = path.read_text("utf-8").split("\n")
    except FileNotFoundError:
        raise ParameterError(f"no file {str(path)!r} with keys; check the path of --api-key-file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(f"the key file {path} cannot be read ({error}); write one key a line, as UTF-8") from None
    keys = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not keys:
        raise ParameterError(f"the key file {path} holds no key; write one a line")
    for number, key in enumerate(keys, 1):  # a message never shows a key
        if len(key) < SHORTEST_KEY or not key.isascii() or any(character.isspace() for character in key):
            raise ParameterError(
                f"key {number} of {path} must have at least {SHORTEST_KEY} ASCII characters and no blanks; "
                "make one with: openssl rand -hex 24"
            )
    return Keys(keys)


def model_name(folder: Path) -> str:
    """Return the name of a model in requests: "models/reviews.d2v" -> "reviews"."""
    return folder.resolve().name.removesuffix(".d2v")


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
