"""Programs as kernels for NVIDIA's GPUs: PTX by llvmlite's LLVM, CUDA C++, and launches by NVIDIA's driver."""

from armdyn.base.lazy import names_of

_WHERE = {
    "CudaError": "driver",
    "CudaKernel": "kernel",
    "DeviceError": "driver",
    "KernelResources": "ptxas",
    "to_cuda": "kernel",
}

__getattr__ = names_of(__name__, _WHERE)
