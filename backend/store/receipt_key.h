// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "backend/base/result.h"
#include "backend/control/types/receipt.h"

namespace divisi::store {

// Ed25519 signatures (RFC 8032) for a cluster's receipts. Keys, seeds and signatures are hexadecimal.

/// Returns a seal with the key of `file`, which is created if missing: one line of 64 digits, the seed, with mode 0600.
/// Fails if the file does not contain a key or if other users can read it.
Result<control::ReceiptSeal> load_or_make_seal(const std::filesystem::path& file);
/// Returns a seal with the key that belongs to this seed of 64 digits.
Result<control::ReceiptSeal> seal_with(const std::string& seed, const std::string& where);

/// Returns whether `signature` is the signature of `text` with this public key. Returns false if the signature or the
/// key is malformed.
bool verify_signature(std::string_view text, const std::string& signature, const std::string& public_key);
/// Returns the BLAKE2b-256 hash, as used to name blobs.
std::string receipt_hash(std::string_view line);

/// Converts the public key to the format OpenSSL and other tools read (RFC 8410), and back. Fails with `invalid_input`
/// if the text is not such a key.
std::string public_key_pem(const std::string& public_key);
Result<std::string> public_key_of(const std::string& pem_or_digits, const std::string& where);

}  // namespace divisi::store
