// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace divisi::process {

/// Returns the processor's name from /proc/cpuinfo, e.g. "AMD EPYC 7763 64-Core Processor"; "cpu" if there is none.
/// Measured prices of operators are stored under this name.
std::string processor_model();

/// Returns the machine's name in its network. Nodes report this name as their host.
std::string host_name();

/// Returns an identifier of the running system that does not depend on its host name. The containers of a system share
/// it; a restarted machine gets a new one. Empty if the kernel does not provide one.
std::string system_identity();

/// Returns the number of cores that this process may use.
int usable_cores();

/// Returns OPENBLAS_CORETYPE for a computing process: its value in this environment, otherwise blas_kernels_for() this
/// processor. Empty: do not set it.
std::string blas_kernels();
/// Returns OpenBLAS's kernels for a processor with these instructions, given as the flags of /proc/cpuinfo. OpenBLAS
/// itself chooses by the model. A processor that is newer than the library is treated like a processor of 2004 without
/// AVX. This costs a third of the speed. Empty if OpenBLAS should choose.
std::string blas_kernels_for(const std::string& flags);

/// Returns the value of the first line "key : value" in a /proc file; empty if there is no such line.
std::string proc_value(const char* file, const std::string& key);

}  // namespace divisi::process
