// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/series_store.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace divisi::model {

/// Collects the samples of one range for a chart. A block that lies within one pixel column is used as a whole;
/// otherwise, its parts on the level below are visited.
class Series::Viewer {
public:
    Viewer(const Series& series, double from, double to, int columns)
        : series_(series),
          from_(from),
          to_(to),
          columns_(std::max(1, columns)),
          width_((to - from) / columns_),
          first_(series.index_of(from)),
          behind_(series.index_of(std::nextafter(to, std::numeric_limits<double>::infinity()))) {}

    SeriesView run() {
        if (first_ > 0) keep_neighbour(first_ - 1);
        const bool all_there = series_.file_->problem().isEmpty();
        if (all_there && behind_ - first_ <= 2 * columns_) {
            for (std::int64_t i = first_; i < behind_; ++i) keep(i);
        } else {
            walk();
        }
        if (behind_ < series_.size()) keep_neighbour(behind_);
        if (left_out_) view_.column = width_;
        return std::move(view_);
    }

private:
    /// Visits the levels from the highest one down: the full blocks of each level, then the part of its open block on
    /// the level below.
    void walk() {
        std::int64_t begin = 0;
        for (std::size_t level = series_.levels_.size(); level > 0; --level) {
            const std::int64_t end = series_.levels_[level - 1]->full.size();
            for (std::int64_t i = begin; i < end; ++i) visit(level, i);
            begin = end * fan;
        }
        for (std::int64_t i = begin; i < series_.raw_.size(); ++i) visit(0, i);
        flush();
    }

    void keep_neighbour(std::int64_t index) {
        if (const auto sample = series_.at(index)) view_.samples.push_back(*sample);
    }
    void keep(std::int64_t index) {
        keep_neighbour(index);
        if (!std::isfinite(view_.samples.back().y)) ++view_.broken;
    }

    void visit(std::size_t level, std::int64_t index) {
        const auto block = series_.part(level, index);
        if (!block) return;  // the block is lost, so use the block of the level above
        if (block->last_x < from_ || block->first_x > to_) return;
        const bool inside = block->first_x >= from_ && block->last_x <= to_;
        if (level == 0 || (inside && block->last_x - block->first_x <= width_)) return take(*block, level);
        if (is_lost(level - 1, index * fan)) return take(*block, level);
        for (std::int64_t i = 0; i < fan; ++i) visit(level - 1, index * fan + i);
    }
    bool is_lost(std::size_t level, std::int64_t index) const { return !series_.part(level, index); }

    void take(const Block& block, std::size_t level) {
        view_.broken += block.broken;
        const bool finite = block.low.y <= block.high.y;
        if (level > 0) {
            left_out_ = true;
            if (finite) add(block.low.x < block.high.x ? block.low : block.high);
            if (block.broken > 0) add({block.broken_x, static_cast<double>(block.broken_y)});
            if (finite) add(block.low.x < block.high.x ? block.high : block.low);
            return;
        }
        add(finite ? block.low : Sample{block.broken_x, static_cast<double>(block.broken_y)});
    }

    void add(const Sample& sample) {
        const double column = width_ > 0 ? std::min(std::floor((sample.x - from_) / width_), columns_ - 1.0) : 0;
        if (column != column_ && !waiting_.empty()) flush();
        column_ = column;
        waiting_.push_back(sample);
    }

    /// Adds the samples of a column: all of them if there are at most two, otherwise the extremes and the first
    /// non-finite one.
    void flush() {
        const auto finite = [](const Sample& sample) { return std::isfinite(sample.y); };
        std::vector<Sample> kept;
        const Sample *low = nullptr, *high = nullptr, *broken = nullptr;
        for (const Sample& one : waiting_) {
            if (!finite(one)) {
                if (!broken) broken = &one;
                continue;
            }
            if (!low || one.y < low->y) low = &one;
            if (!high || one.y > high->y) high = &one;
        }
        if (waiting_.size() <= 2) {
            kept = waiting_;
        } else {
            left_out_ = true;
            if (low) kept.push_back(*low);
            if (high && high != low) kept.push_back(*high);
            if (broken) kept.push_back(*broken);
        }
        std::stable_sort(kept.begin(), kept.end(), [](const Sample& a, const Sample& b) { return a.x < b.x; });
        view_.samples.insert(view_.samples.end(), kept.begin(), kept.end());
        waiting_.clear();
    }

    const Series& series_;
    double from_, to_;
    int columns_;
    double width_;
    std::int64_t first_, behind_;  ///< index of the range's first sample, and the index after its last sample
    double column_ = 0;
    std::vector<Sample> waiting_;  ///< samples of the current column
    bool left_out_ = false;
    SeriesView view_;
};

Series::Series(std::shared_ptr<client::SpillFile> file) : file_(std::move(file)), raw_(*file_) {}

Series::Block Series::block_of(const Sample& sample) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (std::isfinite(sample.y)) return {sample.x, sample.x, sample, sample, 0, 0, 0};
    return {sample.x, sample.x, {0, infinity}, {0, -infinity}, sample.x, static_cast<float>(sample.y), 1};
}

void Series::merge(Block& into, const Block& from) {
    into.last_x = from.last_x;
    if (from.low.y < into.low.y) into.low = from.low;
    if (from.high.y > into.high.y) into.high = from.high;
    if (into.broken == 0 && from.broken > 0) {
        into.broken_x = from.broken_x;
        into.broken_y = from.broken_y;
    }
    into.broken += from.broken;
}

void Series::append(double x, double y) {
    if (!empty()) x = std::max(x, last_x_);
    last_x_ = x;
    raw_.push_back({x, y});
    add(0, block_of({x, y}));
}

void Series::add(std::size_t level, const Block& part) {
    if (level == levels_.size()) levels_.push_back(std::make_unique<Level>(*file_));
    Level& one = *levels_[level];
    if (one.parts++ == 0) one.open = part;
    else merge(one.open, part);
    if (one.parts < fan) return;
    one.full.push_back(one.open);
    one.parts = 0;
    add(level + 1, one.open);
}

/// Returns a block of a level; on level 0, a sample.
std::optional<Series::Block> Series::part(std::size_t level, std::int64_t index) const {
    if (level > 0) return levels_[level - 1]->full.at(index);
    const auto sample = raw_.at(index);
    return sample ? std::optional(block_of(*sample)) : std::nullopt;
}

void Series::cut_from(double x) {
    const std::int64_t left = index_of(x);
    if (left == size()) return;
    if (left == 0) return clear();
    bool whole = raw_.resize(left);
    std::int64_t below = left;
    for (std::size_t level = 0; whole && level < levels_.size(); ++level) {
        below /= fan;
        whole = levels_[level]->full.resize(below) && reopen(level);
    }
    const auto last = whole ? raw_.at(left - 1) : std::nullopt;
    if (!last) return clear();
    last_x_ = last->x;
}

/// Computes the unfinished block of a level again from the level below.
bool Series::reopen(std::size_t level) {
    Level& one = *levels_[level];
    one.parts = 0;
    const std::int64_t end = level == 0 ? raw_.size() : levels_[level - 1]->full.size();
    for (std::int64_t i = one.full.size() * fan; i < end; ++i) {
        const auto block = part(level, i);
        if (!block) return false;
        if (one.parts++ == 0) one.open = *block;
        else merge(one.open, *block);
    }
    return true;
}

void Series::clear() {
    raw_.resize(0);
    levels_.clear();
}

std::optional<double> Series::first_x() const {
    // use the highest level, which is in memory, because the first page of samples may not be in memory
    for (std::size_t level = levels_.size(); level > 0; --level) {
        const Level& one = *levels_[level - 1];
        if (one.full.size() > 0)
            if (const auto block = one.full.at(0)) return block->first_x;
        if (one.parts > 0 && one.full.size() == 0) return one.open.first_x;
    }
    return std::nullopt;
}

std::optional<double> Series::last_x() const { return empty() ? std::nullopt : std::optional(last_x_); }

std::int64_t Series::index_of(double x) const {
    if (empty() || x > last_x_) return size();
    std::int64_t low = 0, high = size();
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        const auto sample = raw_.at(middle);
        if (sample && sample->x >= x) high = middle;
        else low = middle + 1;
    }
    return low;
}

std::optional<Sample> Series::nearest(double x) const {
    const std::int64_t behind = index_of(x);
    const auto right = behind < size() ? at(behind) : std::nullopt;
    const auto left = behind > 0 ? at(behind - 1) : std::nullopt;
    if (!left || (right && right->x - x < x - left->x)) return right;
    return left;
}

SeriesView Series::view(double from, double to, int columns) const {
    if (empty() || !(to >= from)) return {};
    return Viewer(*this, from, to, columns).run();
}

std::vector<Sample> Series::range(double from, double to) const {
    std::vector<Sample> samples;
    for (std::int64_t i = index_of(from); i < size(); ++i) {
        const auto sample = raw_.at(i);
        if (!sample) continue;
        if (sample->x > to) break;
        samples.push_back(*sample);
    }
    return samples;
}

std::size_t Series::memory_bytes() const {
    std::size_t bytes = sizeof(Series) + raw_.memory_bytes();
    for (const auto& level : levels_) bytes += sizeof(Level) + level->full.memory_bytes();
    return bytes;
}

Series& SeriesStore::series(const std::string& name) {
    std::shared_ptr<Series>& one = series_[name];
    if (!one) one = std::make_shared<Series>(file_);
    return *one;
}

std::shared_ptr<const Series> SeriesStore::find(const std::string& name) const {
    const auto found = series_.find(name);
    return found == series_.end() ? nullptr : found->second;
}

std::vector<std::string> SeriesStore::names(const std::string& prefix) const {
    std::vector<std::string> names;
    for (auto one = series_.lower_bound(prefix); one != series_.end() && one->first.starts_with(prefix); ++one)
        names.push_back(one->first);
    return names;
}

void SeriesStore::forget(const std::string& prefix) {
    auto end = series_.lower_bound(prefix);
    const auto begin = end;
    while (end != series_.end() && end->first.starts_with(prefix)) ++end;
    series_.erase(begin, end);
}

std::size_t SeriesStore::memory_bytes() const {
    std::size_t bytes = file_->memory_bytes();
    for (const auto& [name, one] : series_) bytes += name.size() + one->memory_bytes();
    return bytes;
}

}  // namespace divisi::model
