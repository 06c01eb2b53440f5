// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backend/link/blob_client.h"
#include "backend/link/blob_server.h"
#include "backend/link/flow_transport.h"
#include "tests/sim/process.h"

namespace divisi::sim {

inline const Sid blob_source("blobs/1/source"), blob_sink("blobs/1/sink");

/// Base class of the two ends of a blob transfer through the mesh. Each end has its own machine.
class BlobEndProcess : public Process {
public:
    BlobEndProcess(Surroundings around, const Sid& self, const Sid& peer, const std::string& gateway_endpoint)
        : Process(around, {self.value(), "machine of " + self.value()}),
          line_(loop_, sockets(), {self, peer, 1},
                [this](const Error& error) { watch().say(place_.process + ": " + error.message()); }) {
        if (const auto bound = line_.open("mem://" + self.value()); !bound) watch().violate(bound.error().message());
        line_.join({gateway_endpoint, ""});
    }

protected:
    static constexpr std::uint32_t pieces = 40;
    static std::string piece(std::uint32_t index) { return std::string(40'000 + index, static_cast<char>(index)); }
    link::FlowTransport line_;
};

class BlobSourceProcess final : public BlobEndProcess, private link::BlobPort {
public:
    BlobSourceProcess(Surroundings around, const std::string& gateway_endpoint)
        : BlobEndProcess(around, blob_source, blob_sink, gateway_endpoint) {
        (void)server_.listen("");
    }

private:
    Result<BlobManifest> describe(const std::string& hash) override {
        return BlobManifest{hash, pieces * blob_chunk_bytes, std::vector<std::uint32_t>(pieces, 7)};
    }
    Result<std::vector<std::uint32_t>> begin(const BlobManifest&) override { return std::vector<std::uint32_t>(); }
    Result<void> put(const std::string&, std::uint32_t, std::span<const std::byte>) override { return {}; }
    Result<void> finish(const std::string&) override { return {}; }
    Result<std::string> get(const std::string&, std::uint32_t index) override { return piece(index); }

    link::BlobServer server_{line_, *this};
};

/// Downloads blobs one after another. Under all faults, each blob must arrive complete, and each of its pieces exactly
/// once.
class BlobSinkProcess final : public BlobEndProcess {
public:
    BlobSinkProcess(Surroundings around, const std::string& gateway_endpoint)
        : BlobEndProcess(around, blob_sink, blob_source, gateway_endpoint) {
        fetch();
    }
    std::size_t whole() const { return whole_; }
    /// Cancels the transfer in progress and starts no other.
    void stop() {
        stopped_ = true;
        transfer_.reset();
    }

private:
    void fetch() {
        if (stopped_) return;
        transfer_.reset();
        came_.assign(pieces, 0);
        link::BlobTransfer::Target target;
        target.begin = [](const BlobManifest& manifest) -> Result<std::vector<std::uint32_t>> {
            std::vector<std::uint32_t> missing;
            for (std::uint32_t i = 0; i < manifest.chunks.size(); ++i) missing.push_back(i);
            return missing;
        };
        target.write = [this](std::uint32_t index, std::span<const std::byte> bytes) -> Result<void> {
            const std::string_view got(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            if (got != piece(index) || ++came_[index] > 1)
                watch().violate("piece " + std::to_string(index) + " came wrong, or twice");
            return {};
        };
        transfer_ = link::BlobTransfer::download(loop_, line_, {}, std::string(64, 'a'), std::move(target), {},
                                                 [this](const Result<void>& result) { fetched(result); });
    }
    void fetched(const Result<void>& result) {
        if (!result.ok()) return watch().violate("a blob did not arrive: " + result.error().message());
        for (const int times : came_)
            if (times != 1) watch().violate("a blob arrived without one of its pieces");
        ++whole_;
        next_.start(pause, [this] { fetch(); });
    }

    /// Pause between two blobs. Even with this pause, the mesh is often full of blobs. The lower load keeps the many
    /// simulated worlds fast.
    static constexpr Duration pause = std::chrono::milliseconds(200);
    link::Timer next_{loop_};
    std::vector<int> came_;  ///< how often each piece arrived
    std::size_t whole_ = 0;
    bool stopped_ = false;
    std::unique_ptr<link::BlobTransfer> transfer_;
};

}  // namespace divisi::sim
