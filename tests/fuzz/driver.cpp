// SPDX-License-Identifier: Apache-2.0
// Feeds mutated seeds to a fuzz target without libFuzzer. Iteration n always makes the same input.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>

#include "tests/fuzz/fuzz.h"

namespace {

constexpr std::uint64_t default_iterations = 100'000;
/// Time after which a single input counts as a hang.
constexpr unsigned input_limit_s = 10;

std::uint64_t current_iteration = 0;

void report_and_end(int signal) {
    // Only async-signal-safe calls are allowed, so print the iteration without the library.
    std::array<char, 96> text{};
    constexpr std::string_view prefix = "failed at iteration ";
    std::copy(prefix.begin(), prefix.end(), text.begin());
    char* end = std::to_chars(text.data() + prefix.size(), text.data() + text.size() - 1, current_iteration).ptr;
    *end++ = '\n';
    const auto size = static_cast<std::size_t>(end - text.data());
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), size);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Returns the kept inputs that libFuzzer found, in the order of their names.
std::vector<std::string> kept() {
    const std::filesystem::path folder = DIVISI_FUZZ_CORPUS;
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(folder))
        for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<std::string> inputs;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return inputs;
}

class Mutator {
public:
    Mutator(const std::vector<std::string>& seeds, std::uint64_t iteration) : seeds_(seeds), random_(iteration) {}

    std::string make() {
        std::string bytes = seeds_[below(seeds_.size())];
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(bytes);
        return bytes;
    }

private:
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

    void change(std::string& bytes) {
        const std::size_t at = below(bytes.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(64, bytes.size() - at + 1));
        switch (below(8)) {
            case 0:
                if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                if (at < bytes.size()) bytes[at] = static_cast<char>(random_());
                break;
            case 2: bytes.erase(at, length); break;
            case 3: bytes.insert(at, bytes.substr(at, length)); break;
            case 4: bytes.resize(at); break;
            case 5: insert_extreme(bytes, at); break;
            case 6: {
                const std::string& other = seeds_[below(seeds_.size())];
                const std::size_t from = below(other.size());
                bytes.replace(at, length, other.substr(from, below(256)));
                break;
            }
            default:
                if (at < bytes.size()) bytes[at] = "\x00\x01\x7f\x80\xff"[below(5)];
                break;
        }
    }

    /// Inserts an extreme length or dimension as a varint.
    void insert_extreme(std::string& bytes, std::size_t at) {
        constexpr std::array<std::uint64_t, 7> extremes{0,          0x7fffffff,         0xffffffff,        1ULL << 40,
                                                        1ULL << 62, 0x7fffffffffffffff, 0xffffffffffffffff};
        std::string varint;
        std::uint64_t value = extremes[below(extremes.size())];
        for (; value >= 0x80; value >>= 7) varint.push_back(static_cast<char>(value | 0x80));
        varint.push_back(static_cast<char>(value));
        bytes.replace(at, std::min<std::size_t>(1, bytes.size() - at), varint);
    }

    const std::vector<std::string>& seeds_;
    std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t iterations = default_iterations;
    std::uint64_t first = 0;
    if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), iterations);
    if (argc > 2) std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), first);
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGALRM}) std::signal(signal, report_and_end);

    const auto run = [](const std::string& bytes) {
        ::alarm(input_limit_s);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    };
    auto seeds = fuzz_seeds();
    for (std::string& one : kept()) seeds.push_back(std::move(one));
    for (const std::string& seed : seeds) run(seed);
    for (std::uint64_t i = 0; i < iterations; ++i) {
        current_iteration = first + i;
        run(Mutator(seeds, current_iteration).make());
    }
    std::printf("%zu seeds and kept inputs, %llu mutations, no crash\n", seeds.size(),
                static_cast<unsigned long long>(iterations));
    return 0;
}
