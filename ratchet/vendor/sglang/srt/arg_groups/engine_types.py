"""Engine classes that a configuration only carries: this library hands them on and never looks inside."""

from typing import Any, TypeAlias

CudaGraphConfig: TypeAlias = Any
LoRARef: TypeAlias = Any
