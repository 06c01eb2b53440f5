// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace divisi::process {

/// The processor's name as /proc/cpuinfo has it, e.g. "AMD EPYC 7763 64-Core Processor"; "cpu" where that says
/// nothing. Measured prices of operators are kept by it.
std::string processor_model();

/// The machine's name in its network: that of the host which nodes are on.
std::string host_name();

/// Names the running system among all, whatever its host name: containers on it share it, a machine that starts anew
/// gets another. Empty where the kernel does not say.
std::string system_identity();

/// Cores that this process may run on.
int usable_cores();

/// What OPENBLAS_CORETYPE is to say to a process that computes: what it says here, else blas_kernels_for() this
/// processor. Empty: nothing.
std::string blas_kernels();
/// OpenBLAS's kernels for a processor with these instructions, as the flags of /proc/cpuinfo name them. Left to itself
/// the library goes by the model, and takes one that is newer than the library for a processor of 2004 without AVX: a
/// third of the speed. Empty where it should choose.
std::string blas_kernels_for(const std::string& flags);

/// The value of the first line "key : value" of a /proc file; empty where there is none.
std::string proc_value(const char* file, const std::string& key);

}  // namespace divisi::process
