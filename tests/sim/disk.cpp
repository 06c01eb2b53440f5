// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/disk.h"

#include "backend/base/hash.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/wire/message_codec.h"

namespace divisi::sim {

using namespace control;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
Error disk_error(ErrorCode code, const char* what) { return {code, what, "the simulated disk", "try again"}; }

}  // namespace

class SimulatedJournal final : public Journal {
public:
    explicit SimulatedJournal(Disk& disk) : disk_(disk) {}
    Result<void> append(std::span<const Event> events) override {
        DIVISI_TRY(disk_.append(events));
        unsaved_ += events.size();
        return {};
    }
    Result<Restored> restore() override {
        DIVISI_ASSIGN(Restored restored, disk_.restore());
        unsaved_ = restored.folded;
        return restored;
    }
    Result<void> save() override {
        unsaved_ = 0;
        return disk_.save();
    }
    Result<void> finish_saving() override { return {}; }
    std::uint64_t unsaved() const override { return unsaved_; }
    std::uint64_t interval() const override { return 40; }  // so that most processes save at least once

private:
    Disk& disk_;
    std::uint64_t unsaved_ = 0;
};

std::unique_ptr<Journal> Disk::open() { return std::make_unique<SimulatedJournal>(*this); }

Result<void> Disk::append(std::span<const Event> events) {
    if (world_.now() < held_until_) return disk_error(ErrorCode::conflict, "another process holds the journal");
    if (wear_.held > 0 && world_.chance(wear_.held)) {
        held_until_ = world_.now() + world_.between(std::chrono::milliseconds(1), std::chrono::seconds(3));
        return disk_error(ErrorCode::conflict, "another process holds the journal");
    }
    std::vector<Record> records;
    for (const Event& event : events) {
        DIVISI_ASSIGN(std::string bytes, wire::encode_event(event));
        const std::uint64_t sum = fnv1a(bytes);
        records.push_back({std::move(bytes), sum, &event == &events.back()});
    }
    if (std::exchange(crash_, false) || (wear_.broken > 0 && world_.chance(wear_.broken)))
        return fail(std::move(records), events);
    records_.insert(records_.end(), std::make_move_iterator(records.begin()), std::make_move_iterator(records.end()));
    for (const Event& event : events) {
        events_.push_back(event);
        durable_(event);
    }
    return {};
}

/// Fails a write in one of three ways. Either no bytes are written, or all bytes are written but not acknowledged, or a
/// part is written. The last record of that part may be torn.
Result<void> Disk::fail(std::vector<Record> records, std::span<const Event> events) {
    const std::size_t whole = records.empty() ? 0 : world_.pick(records.size() + 1);
    for (std::size_t i = 0; i < whole; ++i) records_.push_back(records[i]);
    if (whole == records.size()) {
        for (const Event& event : events) {
            events_.push_back(event);
            durable_(event);
        }
    } else if (world_.chance(0.5)) {
        Record torn = records[whole];
        torn.bytes.resize(world_.pick(torn.bytes.size()));
        records_.push_back(std::move(torn));
    }
    return disk_error(ErrorCode::failed, "the write failed");
}

Result<Restored> Disk::restore() {
    std::size_t whole = 0;
    for (std::size_t i = 0; i < records_.size() && fnv1a(records_[i].bytes) == records_[i].sum; ++i)
        if (records_[i].last) whole = i + 1;
    records_.resize(whole);
    Restored restored;
    Snapshot saved;
    for (const std::string& page : saved_) {
        DIVISI_ASSIGN(Snapshot next, wire::decode_page(bytes_of(page)));
        DIVISI_TRY(add_page(saved, std::move(next)));
    }
    restored.state = std::move(saved.state);
    for (const Record& record : records_) {
        DIVISI_ASSIGN(const Event event, wire::decode_event(bytes_of(record.bytes)));
        if (event.sequence <= restored.state.sequence) continue;
        apply(restored.state, event);
        ++restored.folded;
    }
    return restored;
}

Result<void> Disk::save() {
    if (wear_.not_saved > 0 && world_.chance(wear_.not_saved))
        return disk_error(ErrorCode::failed, "the state was not saved");
    DIVISI_ASSIGN(const Restored folded, restore());
    std::vector<std::string> pages;
    for (const Snapshot& page : snapshot_pages(folded.state, {})) {
        DIVISI_ASSIGN(std::string bytes, wire::encode_page(page));
        pages.push_back(std::move(bytes));
    }
    saved_ = std::move(pages);
    return {};
}

}  // namespace divisi::sim
