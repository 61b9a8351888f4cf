"""The 100 classes of the Wikipedia pages in coarser groups, made by hand.

Seven of the groups are those of the paper's figure 4; its categories are not published, so the classes within them
are ours. "ship" is in none.
"""

from __future__ import annotations

from collections.abc import Mapping

# The groups that the paper shows.
PAPER_GROUPS = ("television", "albums", "writers", "musicians", "athletes", "species", "actors")

GROUPS: Mapping[str, tuple[str, ...]] = {
    "television": ("television series", "episode"),
    "albums": ("album", "song"),
    "writers": ("writer", "journalist"),
    "musicians": ("musician", "singer", "band", "composer", "pianist"),
    "athletes": (
        "athlete", "baseball player", "basketball player", "boxer", "canoer", "cricketer", "football",
        "football coach", "football player", "footballer", "gymnast", "handball player", "hockey player", "manager",
        "pitcher", "rower", "rugby union player", "swimmer", "tennis player", "volleyball player",
        "water polo player", "wrestler",
    ),
    "species": ("moth", "species:plant", "species:snail"),
    "actors": ("actor",),
    "other artists": ("architect", "designer", "film director", "painter", "producer"),
    "scholars": ("engineer", "historian", "mathematician", "physician", "scholar", "scientist", "theologian"),
    "public life": (
        "army officer", "bishop", "businessman", "diplomat", "judge", "lawyer", "merchant", "politician",
        "president", "priest", "soldier",
    ),
    "films, books, games": ("film", "novel", "play", "video game"),
    "press and radio": ("journal", "magazine", "newspaper", "radio station"),
    "clubs and bodies": (
        "championship", "diocese", "football club", "football team", "manufacturer", "organization", "party",
    ),
    "schools": ("college", "high school", "secondary school", "university"),
    "settlements": ("city", "commune", "moshav", "municipality", "neighborhood", "town", "village"),
    "nature": ("island", "lake", "mountain", "park", "river"),
    "buildings and roads": (
        "airport", "bridge", "church", "highway", "historic district", "historic house", "museum",
        "railway station",
    ),
}  # fmt: skip


def group_of() -> dict[str, str]:
    """Return the group of every class that has one: {"moth": "species", ...}."""
    return {label: group for group, labels in GROUPS.items() for label in labels}
