// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/state_writer.h"

#include <pthread.h>

#include <iterator>
#include <utility>

namespace divisi::instance {
namespace {

/// Pause between two tries if the disk refuses to write.
constexpr Duration retry_interval = std::chrono::seconds(1);

}  // namespace

StateWriter::StateWriter(std::unique_ptr<store::InstanceStore> store, OnError trouble)
    : store_(std::move(store)), trouble_(std::move(trouble)), thread_([this] { work(); }) {}

StateWriter::~StateWriter() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void StateWriter::write(store::Entry entry) {
    {
        const std::lock_guard lock(mutex_);
        if (auto* progress = get_if<store::Progress>(&entry)) progress_ = *progress;
        else if (waiting_.size() < most_waiting_entries) waiting_.push_back(std::move(entry));
        else ++lost_;
    }
    wake_.notify_one();
}

std::uint64_t StateWriter::lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
}

void StateWriter::work() {
    pthread_setname_np(pthread_self(), keeper_name);
    const auto anything = [this] { return ending_ || progress_ || !waiting_.empty(); };
    std::unique_lock lock(mutex_);
    bool told = false;
    while (true) {
        wake_.wait(lock, anything);
        std::vector<store::Entry> entries = std::exchange(waiting_, {});
        if (progress_) entries.emplace_back(*std::exchange(progress_, {}));
        const bool last = ending_;
        lock.unlock();
        const auto written = entries.empty() ? Result<void>() : store_->write(entries);
        if (!written && !std::exchange(told, true)) trouble_(written.error());
        if (written) told = false;
        lock.lock();
        // A full disk may get free space again, but a store that another incarnation has opened remains unusable for
        // this one.
        const bool again = !written && !last && written.error().code != ErrorCode::denied;
        if (again) {
            entries.insert(entries.end(), std::make_move_iterator(waiting_.begin()),
                           std::make_move_iterator(waiting_.end()));
            waiting_ = std::move(entries);
        } else if (!written) {
            lost_ += entries.size();
        }
        if (last) return;
        wake_.wait_for(lock, again ? retry_interval : keeping_interval, [this] { return ending_; });
    }
}

}  // namespace divisi::instance
