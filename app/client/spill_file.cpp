// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/spill_file.h"

#include <QCoreApplication>
#include <QDir>
#include <utility>

namespace divisi::client {

SpillFile::SpillFile(QString folder) : folder_(folder.isEmpty() ? QDir::tempPath() : std::move(folder)) {}

bool SpillFile::open() {
    if (file_) return true;
    auto file = std::make_unique<QTemporaryFile>(folder_ + QStringLiteral("/divisi-XXXXXX"));
    if (!file->open()) {
        fail(file->errorString());
        return false;
    }
    file_ = std::move(file);
    return true;
}

std::optional<SpillFile::Place> SpillFile::write(const Page& page) {
    if (!open()) return std::nullopt;
    const Place place = free_.empty() ? end_ : free_.back();
    const auto* bytes = reinterpret_cast<const char*>(page.data());
    if (!file_->seek(place * static_cast<qint64>(page_bytes)) ||
        file_->write(bytes, page_bytes) != static_cast<qint64>(page_bytes) || !file_->flush()) {
        fail(file_->errorString());
        return std::nullopt;
    }
    if (free_.empty()) ++end_;
    else free_.pop_back();
    if (kept(place).place == place) kept(place).place = -1;  // drop the cached page that was at this place before
    return place;
}

const SpillFile::Page* SpillFile::read(Place place) {
    Kept& kept = this->kept(place);
    if (kept.place == place) return kept.page.get();
    if (!file_) return nullptr;
    if (!kept.page) kept.page = std::make_unique<Page>();
    kept.place = -1;
    auto* bytes = reinterpret_cast<char*>(kept.page->data());
    if (!file_->seek(place * static_cast<qint64>(page_bytes)) ||
        file_->read(bytes, page_bytes) != static_cast<qint64>(page_bytes)) {
        fail(file_->errorString());
        return nullptr;
    }
    kept.place = place;
    return kept.page.get();
}

void SpillFile::free(Place place) { free_.push_back(place); }

std::size_t SpillFile::memory_bytes() const {
    std::size_t bytes = free_.capacity() * sizeof(Place);
    for (const Kept& one : kept_)
        if (one.page) bytes += page_bytes;
    return bytes;
}

void SpillFile::fail(const QString& what) {
    if (!problem_.isEmpty()) return;
    problem_ = QCoreApplication::translate(
                   "SpillFile",
                   "Older samples are kept only at low resolution: %1 accepts no more data (%2). Free space "
                   "there.")
                   .arg(QDir::toNativeSeparators(folder_), what);
}

}  // namespace divisi::client
