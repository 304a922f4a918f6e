import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch's threads would fight with those of the other test workers

from hypothesis import HealthCheck, settings

settings.register_profile("assay", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("assay")
