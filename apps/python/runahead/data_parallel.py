"""Has `torch.nn.DataParallel` run a module where it is.

torch takes a device of a library's own for a set of GPUs, among which it scatters and gathers with CUDA's streams.
There is one `acpu`, so a module on it, as one on the cpu, is called as it is.
"""

import sys


def keep_data_parallel_on_its_device() -> None:
    data_parallel = sys.modules["torch.nn.parallel.data_parallel"]
    available = data_parallel._get_available_device_type

    def available_but_acpu():
        found = available()
        return None if found == "acpu" else found

    data_parallel._get_available_device_type = available_but_acpu
