"""``python -m doc2vecc`` is ``doc2vecc``, where its script is not on the path."""

import sys

from doc2vecc.cli import main

sys.exit(main())
