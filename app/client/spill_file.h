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

/// Pages of one size in a nameless file of the temporary folder, which is made with the first page and goes with this
/// object. Pages that were read last are kept in memory. Not thread-safe.
class SpillFile {
public:
    static constexpr std::size_t page_bytes = 8192;
    using Page = std::array<std::byte, page_bytes>;
    /// Where a page lies, counted in pages.
    using Place = std::int64_t;

    /// `folder`: where the file is made; empty: the system's temporary folder.
    explicit SpillFile(QString folder = {});

    /// Empty where the disk does not take it; problem() says why.
    std::optional<Place> write(const Page& page);
    /// Null where the disk does not give it back. Valid until the next call.
    const Page* read(Place place);
    /// The place may be taken by another page.
    void free(Place place);

    /// Pages that are in use.
    std::int64_t pages() const { return end_ - static_cast<std::int64_t>(free_.size()); }
    std::size_t memory_bytes() const;
    /// Why pages were lost: what, where, what to do; empty while none was.
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
    std::array<Kept, 64> kept_;  ///< half a MiB: what a screen of charts reads again and again
    QString problem_;
};

}  // namespace divisi::client
