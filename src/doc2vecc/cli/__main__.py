"""``python -m doc2vecc.cli`` is ``doc2vecc``."""

import sys

from doc2vecc.cli import main

sys.exit(main())
