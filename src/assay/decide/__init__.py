"""Decision rules learned from outcomes: use, review or reject a translation, with a finite-sample guarantee."""
