"""Makes `torch.nn.DataParallel` run a module on its own device.

torch treats a device that a library adds as a set of GPUs, among which it scatters and gathers with CUDA's streams.
There is only one `acpu`, so a module on it is called directly, like one on the cpu.
"""

import sys


def keep_data_parallel_on_its_device() -> None:
    data_parallel = sys.modules["torch.nn.parallel.data_parallel"]
    available = data_parallel._get_available_device_type

    def available_but_acpu():
        found = available()
        return None if found == "acpu" else found

    data_parallel._get_available_device_type = available_but_acpu
