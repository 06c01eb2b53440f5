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

/// The value of the first line "key : value" of a /proc file; empty where there is none.
std::string proc_value(const char* file, const std::string& key);

}  // namespace divisi::process
