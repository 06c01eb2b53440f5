// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Well-formed inputs that mutations start from.
std::vector<std::string> fuzz_seeds();

/// libFuzzer's entry point: must neither crash nor hang, whatever the bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
