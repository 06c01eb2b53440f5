// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace divisi::metrics {

using Labels = std::map<std::string, std::string>;

/// The figures of a program at a point in time, in the form that Prometheus reads: names `divisi_*`, in base units. The
/// help text of a name is taken from its first row.
class Figures {
public:
    /// Adds a value that rises and falls.
    void gauge(const char* name, const char* help, Labels labels, double value);
    /// Adds a value that only grows, counted from the start of the process it describes. `name` ends in _total.
    void total(const char* name, const char* help, Labels labels, double value);

    /// Returns the figures in text format version 0.0.4, sorted by name.
    std::string text() const;

private:
    struct Row {
        Labels labels;
        double value = 0;
    };
    struct Family {
        std::string help;
        bool total = false;
        std::vector<Row> rows;
    };
    void add(const char* name, const char* help, bool total, Labels labels, double value);

    std::map<std::string, Family> families_;
};

/// Adds the figure divisi_build_info, which every program shows.
void add_build(Figures& figures, const std::string& program, const std::string& version);

/// Holds the figures that a program shows. show() replaces all figures, so figures that are no longer reported
/// disappear. Thread-safe; the lock is held only while a pointer is exchanged.
class Board {
public:
    void show(Figures figures);
    /// Returns Figures::text() of the latest figures; empty before the first show().
    std::string text() const;

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Figures> shown_;
};

}  // namespace divisi::metrics
