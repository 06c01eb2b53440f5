// SPDX-License-Identifier: Apache-2.0
#include "backend/store/tensor_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "backend/file/system_error.h"
#include "backend/store/database.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

/// Limit on the bytes of a tensor in one row; SQLite's own limit is 1 GiB for a value.
constexpr std::int64_t part_bytes = 64 << 20;

std::string join(const std::vector<std::int64_t>& dims) {
    std::string text;
    for (const std::int64_t dim : dims) text += (text.empty() ? "" : "x") + std::to_string(dim);
    return text;
}

/// Returns the dimensions and strides as text.
std::string layout_of(const graph::HostTensor& tensor) {
    return join(tensor.dims) + (tensor.strides.empty() ? "" : "/" + join(tensor.strides));
}

Result<std::vector<std::int64_t>> split(const std::string& text, const std::filesystem::path& file) {
    std::vector<std::int64_t> dims;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, 'x');) {
        char* end = nullptr;
        const std::int64_t dim = std::strtoll(part.c_str(), &end, 10);
        if (*end != '\0' || dim < 0) return make_error(error_text("tensor-dimensions-broken"), file.string(), {text});
        dims.push_back(dim);
    }
    return dims;
}

/// Returns a tensor with this layout but without bytes.
Result<graph::HostTensor> read_layout(const std::string& text, const std::filesystem::path& file) {
    graph::HostTensor tensor;
    const std::size_t slash = text.find('/');
    DIVISI_ASSIGN(tensor.dims, split(text.substr(0, slash), file));
    if (slash == std::string::npos) return tensor;
    DIVISI_ASSIGN(tensor.strides, split(text.substr(slash + 1), file));
    if (tensor.strides.size() != tensor.dims.size())
        return make_error(error_text("tensor-strides-broken"), file.string(), {text});
    return tensor;
}

void insert_parts(SQLite::Statement& insert, const NamedTensor& named) {
    static constexpr std::byte nothing{};  // SQLite takes a null pointer for NULL, even at length 0
    const graph::HostTensor& tensor = named.tensor;
    std::int64_t offset = 0;
    std::int64_t part = 0;
    do {
        const std::int64_t size = std::min(part_bytes, tensor.size_bytes - offset);
        insert.bind(1, named.name);
        insert.bind(2, part++);
        insert.bind(3, std::string(graph::name(tensor.dtype)));
        insert.bind(4, static_cast<int>(tensor.dtype));
        insert.bind(5, layout_of(tensor));
        insert.bindNoCopy(6, tensor.data ? tensor.data + offset : &nothing, static_cast<int>(size));
        insert.exec();
        insert.reset();
        offset += size;
    } while (offset < tensor.size_bytes);
}

constexpr char slot_mark = '#';

}  // namespace

Result<std::int64_t> write_tensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors) {
    const std::filesystem::path temporary = file.string() + ".new";
    std::error_code code;
    std::filesystem::remove(temporary, code);
    {
        DIVISI_ASSIGN(auto database, open_database(temporary, Durability::write_once));
        try {
            SQLite::Transaction transaction(*database);
            database->exec(
                "CREATE TABLE tensor (name TEXT NOT NULL, part INTEGER NOT NULL, dtype TEXT NOT NULL,"
                " dtype_number INTEGER NOT NULL, dims TEXT NOT NULL, bytes BLOB NOT NULL,"
                " PRIMARY KEY (name, part)) STRICT");
            SQLite::Statement insert(*database, "INSERT INTO tensor VALUES (?,?,?,?,?,?)");
            for (const NamedTensor& tensor : tensors) insert_parts(insert, tensor);
            transaction.commit();
        } catch (const SQLite::Exception& exception) {
            const Error error = sqlite_error(exception, file);
            database.reset();
            std::filesystem::remove(temporary, code);
            return error;
        }
    }
    if (::rename(temporary.c_str(), file.c_str()) != 0) return file::system_error("rename the file", file);
    return static_cast<std::int64_t>(std::filesystem::file_size(file, code));
}

Result<std::vector<NamedTensor>> read_tensors(const std::filesystem::path& file) {
    return read_tensors(file, [](const std::string&) { return true; });
}

Result<std::vector<NamedTensor>> read_tensors(const std::filesystem::path& file,
                                              const std::function<bool(const std::string& name)>& is_wanted) {
    DIVISI_ASSIGN(const auto database, open_read_only(file));
    std::vector<NamedTensor> tensors;
    try {
        SQLite::Statement select(*database, "SELECT name, dtype_number, dims, bytes FROM tensor ORDER BY name, part");
        std::vector<std::byte> bytes;
        std::string open_name;
        bool wanted = false;
        graph::DType dtype = graph::DType::undefined;
        graph::HostTensor layout;
        const auto close = [&] {
            if (!wanted) return;
            tensors.push_back({open_name, graph::HostTensor::copy_of(dtype, layout.dims, bytes)});
            tensors.back().tensor.strides = layout.strides;
            bytes.clear();
        };
        while (select.executeStep()) {
            const std::string name = select.getColumn(0).getString();
            if (name != open_name) {
                close();
                open_name = name;
                wanted = is_wanted(name);
                dtype = static_cast<graph::DType>(select.getColumn(1).getInt());
                DIVISI_ASSIGN(layout, read_layout(select.getColumn(2).getString(), file));
            }
            if (!wanted) continue;
            const SQLite::Column part = select.getColumn(3);
            const auto* data = static_cast<const std::byte*>(part.getBlob());
            bytes.insert(bytes.end(), data, data + part.getBytes());
        }
        close();
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
    for (const NamedTensor& named : tensors)
        if (named.tensor.size_bytes != named.tensor.element_count() * graph::element_size(named.tensor.dtype))
            return make_error(error_text("tensor-of-wrong-size"), file.string(), {named.name});
    return tensors;
}

std::string to_text(const StateName& name) {
    std::string text;
    for (const char c : name.value) text += c == slot_mark ? std::string(2, slot_mark) : std::string(1, c);
    return name.slot.empty() ? text : text + slot_mark + name.slot;
}

StateName state_name(const std::string& text) {
    std::string value;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != slot_mark) {
            value += text[at];
        } else if (at + 1 < text.size() && text[at + 1] == slot_mark) {
            value += text[++at];
        } else {
            return {value, text.substr(at + 1)};
        }
    }
    return {value, ""};
}

}  // namespace divisi::store
