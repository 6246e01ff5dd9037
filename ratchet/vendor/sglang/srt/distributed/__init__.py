"""The live topology of the distributed job."""
