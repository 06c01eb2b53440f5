// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <system_error>

#include "backend/onnx/tensor_proto.h"

namespace divisi::onnx {
namespace {

Error refused(const std::string& location, const std::string& why, const std::string& where) {
    return Error{ErrorCode::invalid_input, "external data '" + location + "' " + why, where,
                 "external data must lie inside the model's own folder, named relative to it"};
}

bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& file) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

Result<std::shared_ptr<const FileMapping>> ExternalFiles::open(const std::string& location, const std::string& where) {
    if (const auto known = files_.find(location); known != files_.end()) return known->second;
    const std::filesystem::path relative(location);
    if (location.empty() || location.find('\0') != std::string::npos)
        return refused(location, "has no usable file name", where);
    if (relative.is_absolute()) return refused(location, "is an absolute path", where);
    if (std::find(relative.begin(), relative.end(), "..") != relative.end())
        return refused(location, "leaves the model's folder by '..'", where);

    std::error_code error;
    const auto folder = std::filesystem::canonical(folder_.empty() ? "." : folder_, error);
    if (error) return Error{ErrorCode::not_found, "the model's folder is gone", where, "check the path"};
    const auto file = std::filesystem::canonical(folder / relative, error);
    if (error)
        return Error{ErrorCode::not_found, "external data '" + location + "' cannot be found: " + error.message(),
                     where, "copy the data file beside the model"};
    if (!is_inside(folder, file)) return refused(location, "leaves the model's folder by a symbolic link", where);

    DIVISI_ASSIGN(auto mapping, FileMapping::open(file, external_file_limit));
    files_.emplace(location, mapping);
    return mapping;
}

}  // namespace divisi::onnx
