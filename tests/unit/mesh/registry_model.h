// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "backend/mesh/registry/registry.h"

namespace divisi::tests {

/// The reference model of the registry, written from its rules with plain vectors and linear scans. Services and
/// devices share one list.
class RegistryModel {
public:
    struct Row {
        std::string name;
        std::optional<mesh::Registration> service;
        std::optional<mesh::DeviceRegistration> device;
        int id = 0;
        bool stale = false;
        TimePoint renewed{};
        int turn = 0;  ///< position in the sequence of renewals
        Incarnation incarnation() const { return service ? service->incarnation : device->incarnation; }
        bool same(const Row& other) const {
            return name == other.name && service == other.service && device == other.device && id == other.id &&
                   stale == other.stale;
        }
    };
    struct Event {
        bool removed;
        Row row;
    };

    template <typename Said>
    ErrorCode add(const std::string& name, const Said& said, TimePoint now) {
        constexpr bool is_service = std::is_same_v<Said, mesh::Registration>;
        Row* known = find(name, is_service);
        for (const Row& gone : gone_)
            if (gone.name == name && gone.service.has_value() == is_service && gone.incarnation() > said.incarnation)
                return ErrorCode::conflict;
        if (known && known->incarnation() > said.incarnation) return ErrorCode::conflict;
        Row row;
        row.name = name;
        if constexpr (is_service) row.service = said;
        else row.device = said;
        row.renewed = now;
        row.turn = ++turn_;
        if (!is_service) row.id = known ? known->id : lowest_free(now);
        const bool changed = !known || !known->same(row);
        if (known) *known = row;
        else rows.push_back(row);
        if (changed) events.push_back({false, row});
        return fine;
    }
    ErrorCode renew(const std::string& name, bool service, Incarnation incarnation, TimePoint now) {
        Row* known = find(name, service);
        if (!known) return ErrorCode::not_found;
        if (known->incarnation() != incarnation) return ErrorCode::conflict;
        known->renewed = now;
        known->turn = ++turn_;
        if (std::exchange(known->stale, false)) events.push_back({false, *known});
        return fine;
    }
    ErrorCode withdraw(const std::string& name, bool service, Incarnation incarnation, TimePoint now) {
        Row* known = find(name, service);
        if (!known) return ErrorCode::not_found;
        if (known->incarnation() != incarnation) return ErrorCode::conflict;
        remove(Row(*known), now);
        return fine;
    }
    void withdraw_task(const std::string& task, TimePoint now) {
        for (const Row& row : sorted())
            if (row.service && row.service->task.value() == task) remove(row, now);
    }
    void advance(TimePoint now) {
        std::erase_if(lapses_, [&](TimePoint lapse) { return now - lapse >= mesh::lease_length; });
        std::size_t missing = lapses_.size();
        bool new_lapse = false;
        for (const Row& row : rows) {
            missing += now - row.renewed >= mesh::silent_after;
            new_lapse |= now - row.renewed >= mesh::lease_length && !row.stale;
        }
        const bool cut = missing >= 3 &&
                         static_cast<double>(missing) > 0.15 * static_cast<double>(rows.size() + lapses_.size()) + 1e-9;
        const bool was = preserving.has_value();
        if (!was && cut && new_lapse) preserving = now;
        if (was && (!cut || now - *preserving >= mesh::longest_preservation)) preserving.reset();
        std::vector<Row> due;
        for (const Row& row : rows)
            if (now - row.renewed >= mesh::lease_length) due.push_back(row);
        std::ranges::sort(due, {}, &Row::turn);
        for (const Row& row : due) {
            if (preserving) {
                Row* known = find(row.name, row.service.has_value());
                if (!std::exchange(known->stale, true)) events.push_back({false, *known});
            } else {
                lapses_.push_back(now);
                remove(row, now);
            }
        }
        if (was && !preserving) lapses_.clear();
    }
    /// Returns the matching SIDs, best first.
    std::vector<std::string> resolve(std::string name) const {
        std::vector<std::string> sids;
        const std::vector<Row> all = sorted();
        for (bool exact = true; !name.empty(); exact = false) {
            for (int rank = 0; rank < 8; ++rank) {
                for (const Row& row : all) {
                    if (!row.service || rank_of(row) != rank) continue;
                    const bool under = row.name == name || row.name.rfind(name + "/", 0) == 0;
                    if (row.name == name || row.service->prefix == name || (exact && under)) sids.push_back(row.name);
                }
            }
            if (!sids.empty()) break;
            const std::size_t slash = name.rfind('/');
            name = slash == std::string::npos ? "" : name.substr(0, slash);
        }
        return sids;
    }
    /// Returns services by SID, then devices by name.
    std::vector<Row> sorted() const {
        std::vector<Row> all = rows;
        std::ranges::sort(all, [](const Row& one, const Row& other) {
            return std::pair(!one.service, one.name) < std::pair(!other.service, other.name);
        });
        return all;
    }
    Row* find(const std::string& name, bool service) {
        for (Row& row : rows)
            if (row.name == name && row.service.has_value() == service) return &row;
        return nullptr;
    }

    static constexpr ErrorCode fine = static_cast<ErrorCode>(-1);
    std::vector<Row> rows;
    std::vector<Event> events;  ///< event i is revision i + 1
    std::optional<TimePoint> preserving;

private:
    struct Freed {
        int id;
        TimePoint at;
    };
    static int rank_of(const Row& row) {
        const int order[] = {-1, 2, 0, 4, 6};  // ranks of pending, active, draining and faulted
        return order[static_cast<int>(row.service->health)] + (row.stale ? 1 : 0);
    }
    void remove(Row row, TimePoint now) {
        std::erase_if(rows, [&](const Row& other) {
            return other.name == row.name && other.service.has_value() == row.service.has_value();
        });
        if (row.device) freed_.push_back({row.id, now});
        gone_.push_back(row);
        events.push_back({true, row});
    }
    int lowest_free(TimePoint now) const {
        for (int id = 1;; ++id) {
            const bool used = std::ranges::any_of(rows, [&](const Row& row) { return row.id == id; });
            const bool rests = std::ranges::any_of(freed_, [&](const Freed& freed) {
                return freed.id == id && now - freed.at < mesh::routing_id_quarantine;
            });
            if (!used && !rests) return id;
        }
    }

    std::vector<Row> gone_;
    std::vector<Freed> freed_;
    std::vector<TimePoint> lapses_;
    int turn_ = 0;
};

}  // namespace divisi::tests
