"""Maps and topics of documents: pages, pictures and tables.

from doc2vecc.map import Map, Topics

Map.build(model, Path("reviews.csv")).save("map.html", color="stars")
Topics.build(model, Path("reviews.csv")).save("topics.html")
"""

from doc2vecc.map.maps import Map
from doc2vecc.map.topics import Topics

__all__ = ["Map", "Topics"]
