// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "app/client/spill_file.h"

namespace divisi::model {

/// An array that grows at its end. Its newest pages are in memory, the others in a spill file. If a page cannot be
/// written to the file, the page and its items are lost.
///
/// `pages_in_memory` includes the growing page.
template <typename Item, std::size_t pages_in_memory>
class PagedArray {
    static_assert(std::is_trivially_copyable_v<Item> && client::SpillFile::page_bytes % sizeof(Item) == 0);

public:
    static constexpr std::int64_t page_items = client::SpillFile::page_bytes / sizeof(Item);

    explicit PagedArray(client::SpillFile& file) : file_(&file) {}
    ~PagedArray() { resize(0); }
    PagedArray(const PagedArray&) = delete;
    PagedArray& operator=(const PagedArray&) = delete;

    std::int64_t size() const { return size_; }

    void push_back(const Item& item) {
        if (size_ % page_items == 0) add_page();
        std::memcpy(tail_.back()->data() + offset(size_), &item, sizeof(Item));
        ++size_;
    }
    /// Returns an item; empty if its page is lost.
    std::optional<Item> at(std::int64_t index) const {
        const client::SpillFile::Page* page = page_of(index / page_items);
        if (!page) return std::nullopt;
        Item item;
        std::memcpy(&item, page->data() + offset(index), sizeof(Item));
        return item;
    }
    /// Drops the items from index `size` on. If the page that becomes the last one is lost, empties the array and
    /// returns false.
    bool resize(std::int64_t size) {
        if (size >= size_) return true;
        const std::int64_t wanted = (size + page_items - 1) / page_items;
        while (page_count() > wanted) drop_page();
        size_ = size;
        return wanted == 0 || !tail_.empty() || size % page_items == 0 || bring_back();
    }
    std::size_t memory_bytes() const {
        return tail_.size() * client::SpillFile::page_bytes + spilled_.capacity() * sizeof(client::SpillFile::Place);
    }

private:
    static constexpr client::SpillFile::Place lost = -1;
    static std::size_t offset(std::int64_t index) {
        return static_cast<std::size_t>(index % page_items) * sizeof(Item);
    }
    std::int64_t page_count() const { return static_cast<std::int64_t>(spilled_.size() + tail_.size()); }

    void add_page() {
        if (tail_.size() == pages_in_memory) {
            spilled_.push_back(file_->write(*tail_.front()).value_or(lost));
            tail_.pop_front();
        }
        tail_.push_back(std::make_unique<client::SpillFile::Page>());
    }
    void drop_page() {
        if (!tail_.empty()) return tail_.pop_back();
        if (spilled_.back() != lost) file_->free(spilled_.back());
        spilled_.pop_back();
    }
    /// Moves the last page back to memory, because new items are appended to it.
    bool bring_back() {
        const client::SpillFile::Page* page = page_of(page_count() - 1);
        if (!page) {
            resize(0);
            return false;
        }
        auto copy = std::make_unique<client::SpillFile::Page>(*page);
        drop_page();
        tail_.push_back(std::move(copy));
        return true;
    }
    const client::SpillFile::Page* page_of(std::int64_t page) const {
        const auto spilled = static_cast<std::int64_t>(spilled_.size());
        if (page >= spilled) return tail_[static_cast<std::size_t>(page - spilled)].get();
        const client::SpillFile::Place place = spilled_[static_cast<std::size_t>(page)];
        return place == lost ? nullptr : file_->read(place);
    }

    client::SpillFile* file_;
    std::int64_t size_ = 0;
    std::vector<client::SpillFile::Place> spilled_;
    std::deque<std::unique_ptr<client::SpillFile::Page>> tail_;
};

}  // namespace divisi::model
