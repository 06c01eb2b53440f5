// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/snapshot_file.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "agents/instance/keeping/files.h"
#include "backend/store/blob_hash.h"
#include "backend/store/blob_store.h"
#include "backend/store/tensor_file.h"

namespace divisi::instance {
namespace {

const std::string& name_of(const graph::Graph& graph, std::size_t initializer) {
    return graph.values[static_cast<std::size_t>(graph.initializers[initializer].value)].name;
}

Result<Snapshots::Tensors> read_checked(const std::filesystem::path& file, const std::string& hash) {
    DIVISI_ASSIGN(const std::string found, store::file_hash(file));
    if (found != hash) return Error{ErrorCode::corrupt, "its bytes have changed on the disk", file.string(), ""};
    return store::read_tensors(file);
}

void append(Snapshots::Tensors& all, Snapshots::Tensors more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
}

/// Reads a snapshot from its blob or its parts. The segment that restores the snapshot checks that no tensor is
/// missing.
Result<Snapshots::Tensors> read_snapshot(const store::BlobStore& blobs, const std::string& hash) {
    const auto whole = blobs.path_of(hash);
    if (whole) return read_checked(*whole, hash);
    const auto parts = blobs.parts_of(hash);
    if (parts.empty()) return whole.error();
    Snapshots::Tensors tensors;
    for (const store::BlobPart& part : parts) {
        DIVISI_ASSIGN(auto read, read_checked(part.path, part.hash));
        append(tensors, std::move(read));
    }
    return tensors;
}

}  // namespace

Snapshots::Tensors named_state(const graph::Graph& graph, std::vector<segment::StateTensor> state) {
    Snapshots::Tensors tensors;
    tensors.reserve(state.size());
    for (segment::StateTensor& one : state) {
        const std::string& value = name_of(graph, static_cast<std::size_t>(one.initializer));
        tensors.push_back({store::to_text({value, one.slot}), std::move(one.tensor)});
    }
    return tensors;
}

std::vector<segment::StateTensor> state_of(const graph::Graph& graph, Snapshots::Tensors tensors) {
    std::map<std::string, std::int32_t> initializers;
    for (std::size_t i = 0; i < graph.initializers.size(); ++i)
        initializers[name_of(graph, i)] = static_cast<std::int32_t>(i);
    std::vector<segment::StateTensor> state;
    for (store::NamedTensor& one : tensors) {
        auto [value, slot] = store::state_name(one.name);
        if (const auto found = initializers.find(value); found != initializers.end())
            state.push_back({found->second, std::move(slot), std::move(one.tensor)});
    }
    return state;
}

Result<Snapshots::Written> write_snapshot(const std::filesystem::path& file, const std::filesystem::path& blobs,
                                          const Snapshots::Tensors& tensors) {
    Snapshots::Written written;
    DIVISI_ASSIGN(written.size, store::write_tensors(file, tensors));
    auto kept = keep_as_blob(file, blobs);
    if (!kept) {
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
        return std::move(kept).error();
    }
    written.hash = std::move(kept->hash);
    return written;
}

Result<Snapshots::Tensors> read_snapshots(const std::filesystem::path& blobs, const control::Restore& restore) {
    DIVISI_ASSIGN(const store::BlobStore store, store::BlobStore::open(blobs));
    Snapshots::Tensors tensors;
    for (const std::string& hash : restore.hashes) {
        auto read = read_snapshot(store, hash);
        if (!read)
            return Error{
                read.error().code,
                "the snapshot of step " + std::to_string(restore.step) + " cannot be restored: " + read.error().what,
                "blob " + hash + " in " + blobs.string(),
                "fetch it from another node that has it, or use an older checkpoint"};
        append(tensors, std::move(read).value());
    }
    return tensors;
}

}  // namespace divisi::instance
