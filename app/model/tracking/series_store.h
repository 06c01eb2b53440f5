// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/client/spill_file.h"
#include "app/model/tracking/paged_array.h"

namespace divisi::model {

struct Sample {
    double x = 0, y = 0;
    bool operator==(const Sample&) const = default;
};

/// The part of a range that a chart with a given number of columns shows.
struct SeriesView {
    /// Samples in order of x: of each column, the lowest, the highest and the first non-finite sample. A column of at
    /// most two samples is included completely.
    std::vector<Sample> samples;
    /// Width of a column if samples were dropped, else 0. Dropping samples may widen the gap between adjacent samples
    /// by up to two columns.
    double column = 0;
    std::int64_t broken = 0;  ///< number of samples in the range with a non-finite y, including those not in `samples`
};

/// A curve with all its samples, ordered by x. The extremes of every 16 samples, every 256 samples and so on are stored
/// too. A view of a million samples thus reads only some thousand samples and still shows every spike. The newest
/// samples are in memory, the others in the store's file.
class Series {
public:
    /// Number of blocks of the level below in one block.
    static constexpr std::int64_t fan = 16;

    explicit Series(std::shared_ptr<client::SpillFile> file);

    /// Appends a sample in amortized O(1). If x is below the last x, the last x is used, because time does not go back.
    void append(double x, double y);
    /// Drops the samples from `x` on, because training continues from an earlier step.
    void cut_from(double x);

    std::int64_t size() const { return raw_.size(); }
    bool empty() const { return size() == 0; }
    std::optional<double> first_x() const;
    std::optional<double> last_x() const;
    /// Returns a sample; empty if the disk lost it.
    std::optional<Sample> at(std::int64_t index) const { return raw_.at(index); }
    /// Returns the index of the first sample whose x is at least `x`; size() if there is none. O(log n).
    std::int64_t index_of(double x) const;
    /// Returns the sample with the nearest x; empty if there is none.
    std::optional<Sample> nearest(double x) const;
    /// Returns the samples of [from, to] that a chart with `columns` columns of equal width shows. Includes the samples
    /// just outside the range, so that lines reach its edges.
    SeriesView view(double from, double to, int columns) const;
    /// Returns all samples of [from, to] that can still be read from the disk.
    std::vector<Sample> range(double from, double to) const;

    std::size_t memory_bytes() const;

private:
    /// The extremes of fan^level samples. low.y > high.y if no sample is finite.
    struct Block {
        double first_x = 0, last_x = 0;
        Sample low, high;
        double broken_x = 0;       ///< x of the first sample with a non-finite y
        float broken_y = 0;        ///< y of the first sample with a non-finite y
        std::uint32_t broken = 0;  ///< number of samples with a non-finite y
    };
    /// The blocks of one level, and its last block, which is not full yet.
    struct Level {
        explicit Level(client::SpillFile& file) : full(file) {}
        PagedArray<Block, 1> full;
        Block open;
        std::int64_t parts = 0;  ///< number of items of the level below in `open`
    };
    class Viewer;

    static Block block_of(const Sample& sample);
    static void merge(Block& into, const Block& from);
    void add(std::size_t level, const Block& part);
    std::optional<Block> part(std::size_t level, std::int64_t index) const;
    bool reopen(std::size_t level);
    void clear();

    std::shared_ptr<client::SpillFile> file_;
    PagedArray<Sample, 3> raw_;                   ///< all samples; recent samples are read most often, so they are in
                                                  ///< memory
    std::vector<std::unique_ptr<Level>> levels_;  ///< levels_[0]: blocks of `fan` samples
    double last_x_ = 0;
};

/// All curves of the console by name, in one file.
class SeriesStore {
public:
    /// `folder` is the folder of the file for samples that do not fit into memory; empty: the system's temporary
    /// folder.
    explicit SeriesStore(const QString& folder = {}) : file_(std::make_shared<client::SpillFile>(folder)) {}

    /// Returns a curve, and creates it if necessary.
    Series& series(const std::string& name);
    /// Returns a curve; null if there is none. A forgotten curve remains in memory as long as a pointer to it exists.
    std::shared_ptr<const Series> find(const std::string& name) const;
    /// Returns the names that start with `prefix`, in order.
    std::vector<std::string> names(const std::string& prefix) const;
    /// Forgets the curves whose names start with `prefix`.
    void forget(const std::string& prefix);

    std::size_t memory_bytes() const;
    std::int64_t spilled_pages() const { return file_->pages(); }
    /// Returns why samples were lost; empty if none were.
    const QString& problem() const { return file_->problem(); }

private:
    std::shared_ptr<client::SpillFile> file_;
    std::map<std::string, std::shared_ptr<Series>> series_;
};

}  // namespace divisi::model
