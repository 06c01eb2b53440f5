// SPDX-License-Identifier: Apache-2.0
#include "backend/store/tensor_selection.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "backend/store/blob_hash.h"
#include "backend/store/error_texts.h"
#include "backend/store/tensor_file.h"

namespace divisi::store {

Result<std::string> select_tensors(BlobStore& blobs, const std::string& snapshot,
                                   const std::vector<std::string>& values) {
    DIVISI_ASSIGN(const std::filesystem::path file, blobs.path_of(snapshot));
    blobs.touch(snapshot);
    DIVISI_ASSIGN(const std::string found, file_hash(file));
    if (found != snapshot) return make_error(error_text("snapshot-changed-on-disk"), file.string());
    const std::set<std::string> wanted(values.begin(), values.end());
    const auto is_wanted = [&](const std::string& name) { return wanted.contains(state_name(name).value); };
    bool left_out = false;
    DIVISI_TRY(read_tensors(file, [&](const std::string& name) {  // reads only names, since the tensors may be large
        left_out |= !is_wanted(name);
        return false;
    }));
    if (!left_out) return snapshot;
    DIVISI_ASSIGN(const auto tensors, read_tensors(file, is_wanted));
    const std::filesystem::path part = blobs.path_to_select(snapshot);
    DIVISI_TRY(write_tensors(part, tensors));
    auto adopted = blobs.adopt(part);
    std::error_code ignored;
    std::filesystem::remove(part, ignored);  // the blob is another hard link to the file
    return adopted;
}

}  // namespace divisi::store
