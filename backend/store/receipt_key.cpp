// SPDX-License-Identifier: Apache-2.0
#include "backend/store/receipt_key.h"

#include <sodium.h>
#include <sys/stat.h>

#include <array>
#include <optional>

#include "backend/file/atomic_file.h"
#include "backend/store/blob_hash.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

using Seed = std::array<unsigned char, crypto_sign_SEEDBYTES>;
using SecretKey = std::array<unsigned char, crypto_sign_SECRETKEYBYTES>;
using PublicKey = std::array<unsigned char, crypto_sign_PUBLICKEYBYTES>;
using Signature = std::array<unsigned char, crypto_sign_BYTES>;

/// Bytes before the key in the DER encoding of RFC 8410.
constexpr std::array<unsigned char, 12> der_head{0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                                 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
constexpr const char* pem_begin = "-----BEGIN PUBLIC KEY-----";
constexpr const char* pem_end = "-----END PUBLIC KEY-----";

template <std::size_t Size>
std::string hex(const std::array<unsigned char, Size>& bytes) {
    std::string text(2 * Size + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), bytes.data(), Size);
    text.pop_back();
    return text;
}

template <typename Bytes>
std::optional<Bytes> from_hex(std::string_view text) {
    Bytes bytes{};
    std::size_t size = 0;
    const bool read = text.size() == 2 * bytes.size() && sodium_hex2bin(bytes.data(), bytes.size(), text.data(),
                                                                        text.size(), nullptr, &size, nullptr) == 0;
    if (!read || size != bytes.size()) return std::nullopt;
    return bytes;
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    return text;
}

Error no_public_key(const std::string& where) { return make_error(error_text("no-ed25519-key"), where); }

}  // namespace

Result<control::ReceiptSeal> seal_with(const std::string& seed_digits, const std::string& where) {
    const auto seed = from_hex<Seed>(trimmed(seed_digits));
    if (!seed) return make_error(error_text("no-receipt-key"), where);
    PublicKey public_key{};
    SecretKey secret_key{};
    crypto_sign_seed_keypair(public_key.data(), secret_key.data(), seed->data());
    control::ReceiptSeal seal;
    seal.public_key = hex(public_key);
    seal.sign = [secret_key](std::string_view text) {
        Signature signature{};
        crypto_sign_detached(signature.data(), nullptr, bytes_of(text), text.size(), secret_key.data());
        return hex(signature);
    };
    seal.hash = receipt_hash;
    return seal;
}

Result<control::ReceiptSeal> load_or_make_seal(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        if (sodium_init() < 0) return make_error(error_text("no-randomness"), file.string());
        Seed seed{};
        randombytes_buf(seed.data(), seed.size());
        DIVISI_TRY(file::write_file(file, hex(seed) + "\n"));
        return seal_with(hex(seed), file.string());
    }
    if (status.st_mode & 077) return make_error(error_text("receipt-key-readable"), file.string());
    DIVISI_ASSIGN(const std::string seed, file::read_file(file));
    return seal_with(seed, file.string());
}

bool verify_signature(std::string_view text, const std::string& signature, const std::string& public_key) {
    const auto signed_with = from_hex<PublicKey>(public_key);
    const auto bytes = from_hex<Signature>(signature);
    return signed_with && bytes &&
           crypto_sign_verify_detached(bytes->data(), bytes_of(text), text.size(), signed_with->data()) == 0;
}

std::string receipt_hash(std::string_view line) { return blob_hash(std::as_bytes(std::span(line))); }

std::string public_key_pem(const std::string& public_key) {
    std::array<unsigned char, der_head.size() + crypto_sign_PUBLICKEYBYTES> der{};
    std::copy(der_head.begin(), der_head.end(), der.begin());
    const PublicKey key = from_hex<PublicKey>(public_key).value_or(PublicKey{});
    std::copy(key.begin(), key.end(), der.begin() + der_head.size());
    std::string text(sodium_base64_ENCODED_LEN(der.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(text.data(), text.size(), der.data(), der.size(), sodium_base64_VARIANT_ORIGINAL);
    text.pop_back();
    return std::string(pem_begin) + "\n" + text + "\n" + pem_end + "\n";
}

Result<std::string> public_key_of(const std::string& text, const std::string& where) {
    const std::string_view given = trimmed(text);
    if (const auto key = from_hex<PublicKey>(given)) return hex(*key);
    if (!given.starts_with(pem_begin) || !given.ends_with(pem_end)) return no_public_key(where);
    const std::string_view body =
        given.substr(std::string_view(pem_begin).size(),
                     given.size() - std::string_view(pem_begin).size() - std::string_view(pem_end).size());
    std::array<unsigned char, der_head.size() + crypto_sign_PUBLICKEYBYTES> der{};
    std::size_t size = 0;
    const bool read = sodium_base642bin(der.data(), der.size(), body.data(), body.size(), "\r\n ", &size, nullptr,
                                        sodium_base64_VARIANT_ORIGINAL) == 0;
    if (!read || size != der.size() || !std::equal(der_head.begin(), der_head.end(), der.begin()))
        return no_public_key(where);
    PublicKey key{};
    std::copy(der.begin() + der_head.size(), der.end(), key.begin());
    return hex(key);
}

}  // namespace divisi::store
