// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <system_error>

#include "backend/onnx/error_texts.h"
#include "backend/onnx/tensor_proto.h"

namespace divisi::onnx {
namespace {

bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& file) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

Result<std::shared_ptr<const FileMapping>> ExternalFiles::open(const std::string& location, const std::string& where) {
    if (const auto known = files_.find(location); known != files_.end()) return known->second;
    const std::filesystem::path relative(location);
    if (location.empty() || location.find('\0') != std::string::npos)
        return make_error(error_text("external-data-unnamed"), where, {location});
    if (relative.is_absolute()) return make_error(error_text("external-path-absolute"), where, {location});
    if (std::find(relative.begin(), relative.end(), "..") != relative.end())
        return make_error(error_text("external-path-leaves-folder"), where, {location});

    std::error_code error;
    const auto folder = std::filesystem::canonical(folder_.empty() ? "." : folder_, error);
    if (error) return make_error(error_text("model-folder-gone"), where);
    const auto file = std::filesystem::canonical(folder / relative, error);
    if (error) return make_error(error_text("external-data-not-found"), where, {location, error.message()});
    if (!is_inside(folder, file)) return make_error(error_text("external-link-leaves-folder"), where, {location});

    DIVISI_ASSIGN(auto mapping, FileMapping::open(file, external_file_limit));
    files_.emplace(location, mapping);
    return mapping;
}

}  // namespace divisi::onnx
