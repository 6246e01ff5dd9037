"""What all tests share: property tests that fail for what is wrong, and never for a slow machine."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("ratchet", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ratchet")
