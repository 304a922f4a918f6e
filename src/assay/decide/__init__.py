"""Rules learned from outcomes: use, review or reject a translation, with a promise that holds for finite samples."""
