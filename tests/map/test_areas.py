"""The areas of a map: where their names stand."""

import numpy as np

from doc2vecc.map.areas import middle_member


def test_a_name_stands_on_a_point_of_its_area_also_where_it_is_bent():
    angles = np.linspace(0, np.pi, 50)
    bent = np.column_stack([np.cos(angles), np.sin(angles)])
    middle = middle_member(bent)
    assert middle.tolist() in bent.tolist()
    assert abs(middle[0]) < 0.1
