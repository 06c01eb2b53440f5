// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTemporaryFile>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace divisi::client {

/// Stores pages of equal size in a nameless temporary file. The file is created with the first page and deleted with
/// this object. Recently read pages are cached in memory. Not thread-safe.
class SpillFile {
public:
    static constexpr std::size_t page_bytes = 8192;
    using Page = std::array<std::byte, page_bytes>;
    /// Position of a page in the file, in pages.
    using Place = std::int64_t;

    /// `folder` is where the file is created; empty: the system's temporary folder.
    explicit SpillFile(QString folder = {});

    /// Writes a page. Returns nothing if the page cannot be written; problem() then says why.
    std::optional<Place> write(const Page& page);
    /// Reads a page. Returns null if the disk cannot read it back. The pointer is valid until the next call.
    const Page* read(Place place);
    /// Frees the place for another page.
    void free(Place place);

    /// Returns the number of pages in use.
    std::int64_t pages() const { return end_ - static_cast<std::int64_t>(free_.size()); }
    std::size_t memory_bytes() const;
    /// Returns why pages were lost: what, where, and what to do; empty if no page was lost.
    const QString& problem() const { return problem_; }

private:
    struct Kept {
        Place place = -1;
        std::unique_ptr<Page> page;
    };
    bool open();
    void fail(const QString& what);
    Kept& kept(Place place) { return kept_[static_cast<std::size_t>(place) % kept_.size()]; }

    QString folder_;
    std::unique_ptr<QTemporaryFile> file_;
    Place end_ = 0;
    std::vector<Place> free_;
    std::array<Kept, 64> kept_;  ///< cached pages, half a MiB in total, enough for the pages that the visible charts
                                 ///< read repeatedly
    QString problem_;
};

}  // namespace divisi::client
