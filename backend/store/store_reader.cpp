// SPDX-License-Identifier: Apache-2.0
#include "backend/store/store_reader.h"

#include <sys/stat.h>

#include <algorithm>

#include "backend/store/error_texts.h"
#include "backend/store/instance_store.h"

namespace divisi::store {
namespace {

namespace fs = std::filesystem;

/// Limit on the bytes of a text. A configuration names some hundred cuts; longer texts are not useful to readers.
constexpr std::size_t longest_text = 64u << 10;

/// Adds a file's size, and updates the time of the last write.
void measure(const fs::path& file, control::StoreView& view) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return;
    view.size += status.st_size;
    const Duration written = std::chrono::seconds(status.st_mtim.tv_sec) + Duration(status.st_mtim.tv_nsec);
    view.written = std::max(view.written, TimePoint(written));
}

Result<void> describe(const fs::path& file, control::StoreView& view) {
    DIVISI_ASSIGN(const auto store, InstanceStore::open_to_read(file));
    DIVISI_ASSIGN(const auto identity, store->identity());
    view.sid = identity.sid;
    view.incarnation = identity.incarnation;
    DIVISI_ASSIGN(const auto progress, store->progress());
    if (!progress) return {};
    view.generation = progress->row.generation;
    view.step = progress->row.step;
    return {};
}

control::StoreCell shown_cell(const Cell& cell) {
    control::StoreCell told;
    if (const auto* whole = get_if<std::int64_t>(&cell)) told.whole = *whole;
    if (const auto* real = get_if<double>(&cell)) told.real = *real;
    if (const auto* text = get_if<std::string>(&cell))
        told.text = text->size() <= longest_text ? *text : text->substr(0, longest_text) + " ...";
    return told;
}

}  // namespace

control::StoreView describe_store(const fs::path& file) {
    control::StoreView view;
    view.file = file.filename().string();
    measure(file, view);
    measure(file.string() + "-wal", view);  // the WAL file has the latest writes while the store's owner runs
    if (const auto described = describe(file, view); !described) view.damage = described.error();
    return view;
}

Result<control::StorePage> read_store_page(const fs::path& file, const control::ReadStore& question) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return make_error(error_text("no-store-of-sid"), question.sid.value());
    DIVISI_ASSIGN(const auto store, InstanceStore::open_to_read(file));
    DIVISI_ASSIGN(const auto identity, store->identity());
    if (identity.sid != question.sid)
        return make_error(error_text("store-is-of-other-sid"), file.string(), {identity.sid.value()});
    const auto most = static_cast<std::size_t>(
        std::clamp<std::int64_t>(question.limit, 1, static_cast<std::int64_t>(control::most_page_rows)));
    DIVISI_ASSIGN(RowPage found, store->rows(question.table, question.before, {most, control::most_page_bytes}));
    control::StorePage page;
    page.incarnation = identity.incarnation;
    page.columns = std::move(found.columns);
    page.damaged = static_cast<std::int64_t>(found.damaged);
    page.before = found.before;
    for (const std::vector<Cell>& row : found.rows) {
        control::StoreRow& told = page.rows.emplace_back();
        for (const Cell& cell : row) told.cells.push_back(shown_cell(cell));
    }
    return page;
}

}  // namespace divisi::store
