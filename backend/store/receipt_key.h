// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "backend/base/result.h"
#include "backend/control/types/receipt.h"

namespace divisi::store {

// Ed25519 (RFC 8032), with which a cluster signs its receipts. Keys, seeds and signatures are hexadecimal.

/// The seal with the key of `file`, which is made where there is none: a line of 64 digits, the seed, mode 0600. Fails
/// where it is no key or can be read by others.
Result<control::ReceiptSeal> load_or_make_seal(const std::filesystem::path& file);
/// The seal with the key of this seed of 64 digits.
Result<control::ReceiptSeal> seal_with(const std::string& seed, const std::string& where);

/// Whether `signature` is that of `text` with this public key. False also where either is none.
bool verify_signature(std::string_view text, const std::string& signature, const std::string& public_key);
/// BLAKE2b-256, as blobs are named.
std::string receipt_hash(std::string_view line);

/// The public key as OpenSSL and others read it (RFC 8410), and back. `invalid_input` for what is no such key.
std::string public_key_pem(const std::string& public_key);
Result<std::string> public_key_of(const std::string& pem_or_digits, const std::string& where);

}  // namespace divisi::store
