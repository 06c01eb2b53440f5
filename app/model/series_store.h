// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/client/spill_file.h"
#include "app/model/paged_array.h"

namespace divisi::model {

struct Sample {
    double x = 0, y = 0;
    bool operator==(const Sample&) const = default;
};

/// What a chart of so many columns shows of a range.
struct SeriesView {
    /// By x: of each column the lowest and the highest sample, and the first whose y is no finite number. Where there
    /// are no more than two samples a column, all of them.
    std::vector<Sample> samples;
    /// Width of a column where samples were left out, else 0: kept neighbours may lie up to two columns further apart
    /// than the samples between them did.
    double column = 0;
    std::int64_t broken = 0;  ///< samples of the range whose y is no finite number, whether they are kept or not
};

/// One curve with all its samples, in the order of x. Extremes of every 16 samples, of every 256 and so on stand beside
/// them, so that a view of a million samples looks at some thousand and misses no spike. Its newest samples are in
/// memory, the others in the store's file.
class Series {
public:
    /// What one block of a level holds of the level below.
    static constexpr std::int64_t fan = 16;

    explicit Series(std::shared_ptr<client::SpillFile> file);

    /// O(1), amortized. An x below the last one is taken for the last one: time does not go back.
    void append(double x, double y);
    /// Drops the samples at `x` and behind it: a training goes on from an earlier step.
    void cut_from(double x);

    std::int64_t size() const { return raw_.size(); }
    bool empty() const { return size() == 0; }
    std::optional<double> first_x() const;
    std::optional<double> last_x() const;
    /// Empty where the disk lost it.
    std::optional<Sample> at(std::int64_t index) const { return raw_.at(index); }
    /// The first sample whose x is not below this; size() where there is none. O(log n).
    std::int64_t index_of(double x) const;
    /// The sample whose x is nearest; empty where there is none.
    std::optional<Sample> nearest(double x) const;
    /// What can be seen of [from, to] in `columns` parts of equal width; the samples at both sides of the range too, so
    /// that lines run on to the edges.
    SeriesView view(double from, double to, int columns) const;
    /// All samples of [from, to], as far as the disk has them.
    std::vector<Sample> range(double from, double to) const;

    std::size_t memory_bytes() const;

private:
    /// Extremes of fan^level samples. low.y > high.y where none is a finite number.
    struct Block {
        double first_x = 0, last_x = 0;
        Sample low, high;
        double broken_x = 0;       ///< of the first whose y is no finite number
        float broken_y = 0;        ///< and that y
        std::uint32_t broken = 0;  ///< how many there are
    };
    /// Blocks of one level, and the one that is not full.
    struct Level {
        explicit Level(client::SpillFile& file) : full(file) {}
        PagedArray<Block, 1> full;
        Block open;
        std::int64_t parts = 0;  ///< items of the level below in `open`
    };
    class Viewer;

    static Block block_of(const Sample& sample);
    static void merge(Block& into, const Block& from);
    void add(std::size_t level, const Block& part);
    std::optional<Block> part(std::size_t level, std::int64_t index) const;
    bool reopen(std::size_t level);
    void clear();

    std::shared_ptr<client::SpillFile> file_;
    PagedArray<Sample, 3> raw_;                   ///< the newest are looked at most
    std::vector<std::unique_ptr<Level>> levels_;  ///< levels_[0]: blocks of `fan` samples
    double last_x_ = 0;
};

/// All curves of the console by name, on one file.
class SeriesStore {
public:
    /// `folder`: where samples go that memory does not hold; empty: the system's temporary folder.
    explicit SeriesStore(const QString& folder = {}) : file_(std::make_shared<client::SpillFile>(folder)) {}

    /// Made where it is not there yet.
    Series& series(const std::string& name);
    /// Null where there is none. A curve that is forgotten meanwhile lives as long as somebody holds it.
    std::shared_ptr<const Series> find(const std::string& name) const;
    /// Names that begin with this, in their order.
    std::vector<std::string> names(const std::string& prefix) const;
    /// Forgets the curves whose names begin with this.
    void forget(const std::string& prefix);

    std::size_t memory_bytes() const;
    std::int64_t spilled_pages() const { return file_->pages(); }
    /// Why samples were lost; empty while none was.
    const QString& problem() const { return file_->problem(); }

private:
    std::shared_ptr<client::SpillFile> file_;
    std::map<std::string, std::shared_ptr<Series>> series_;
};

}  // namespace divisi::model
