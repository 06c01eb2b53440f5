// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace divisi::metrics {

using Labels = std::map<std::string, std::string>;

/// What a program tells of itself at one moment, as Prometheus reads it: names `divisi_*`, in base units. The help of
/// a name is that of its first row.
class Figures {
public:
    /// What rises and falls.
    void gauge(const char* name, const char* help, Labels labels, double value);
    /// What only grows, since whoever it is told of began; `name` ends in _total.
    void total(const char* name, const char* help, Labels labels, double value);

    /// The text format, version 0.0.4, by name.
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

/// divisi_build_info, as every program tells it.
void add_build(Figures& figures, const std::string& program, const std::string& version);

/// The figures that a program shows. Each handing over replaces all of them: what is no longer told is gone. Any
/// thread; the lock is held for no longer than it takes to exchange a pointer.
class Board {
public:
    void show(Figures figures);
    /// Figures::text() of the last ones; empty before the first.
    std::string text() const;

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Figures> shown_;
};

}  // namespace divisi::metrics
