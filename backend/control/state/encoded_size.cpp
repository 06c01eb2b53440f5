// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/encoded_size.h"

#include "backend/control/state/field_list.h"

namespace divisi::control::inline state {
namespace {

/// Upper bounds: tag and length of a field, and tag and value of a number.
constexpr std::size_t head_bytes = 7, number_bytes = 12;

/// Adds up the bounds of the fields that it visits.
struct Sizer {
    EncodedSize size;

    template <typename... Fields>
    void operator()(const Fields&... fields) {
        (add(fields), ...);
    }

    void add(const std::string& text) { size += {head_bytes + text.size(), 1}; }
    template <typename Tag>
    void add(const StrongId<Tag, std::string>& id) {
        add(id.value());
    }
    template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(T) { size += {number_bytes, 0}; }
    void add(TimePoint) { size += {number_bytes, 0}; }
    template <typename T>
    void add(const std::optional<T>& value) {
        if (value) add(*value);
    }
    template <typename T>
    void add(const std::vector<T>& list) {
        for (const T& one : list) add(one);
    }
    template <typename T>
    void add(const std::deque<T>& list) {
        for (const T& one : list) add(one);
    }
    /// Adds numbers, which a message packs into one field.
    void add(const std::vector<std::int32_t>& list) { size += {head_bytes + list.size() * number_bytes, 0}; }
    /// Adds a curve: its records, and the sub-message of its columns.
    void add(const std::deque<StepRecord>& curve) {
        size += {head_bytes, 1};
        for (const StepRecord& one : curve) add(one);
    }
    void add(const Event::Body& body) {
        visit([&](const auto& one) { add(one); }, body);
    }
    void add(const Usage& usage) { add_figures(usage); }
    void add(const MachineFigures& machine) { add_figures(machine); }
    /// Adds a sub-message.
    template <typename T>
    requires std::is_class_v<T>
    void add(const T& message) {
        size += {head_bytes, 1};
        FieldList<T>::visit(*this, message);
    }

private:
    /// Adds a struct of numbers. Also counts numbers that are not known.
    template <typename T>
    void add_figures(const T& figures) {
        const auto count = [&]<typename... Numbers>(const Numbers&...) {
            size += {head_bytes + sizeof...(Numbers) * number_bytes, 1};
        };
        FieldList<T>::visit(count, figures);
    }
};

/// Returns the bound of a value as an entry of a list.
template <typename T>
EncodedSize entry(const T& value) {
    Sizer sizer;
    sizer.add(value);
    return sizer.size;
}

}  // namespace

EncodedSize encoded_size(const Event& one) { return entry(one); }
EncodedSize encoded_size(const NodeView& one) { return entry(one); }
EncodedSize encoded_size(const InstanceView& one) { return entry(one); }
EncodedSize encoded_size(const TaskView& one) { return entry(one); }
EncodedSize encoded_size(const KeyChanged& one) { return entry(one); }
EncodedSize encoded_size(const LinkView& one) { return entry(one); }
EncodedSize encoded_size(const StatedLink& one) { return entry(one); }
EncodedSize encoded_size(const Pool& one) { return entry(one); }
EncodedSize encoded_size(const QueueRules& one) { return entry(one); }
EncodedSize encoded_size(const SubmitterView& one) { return entry(one); }
EncodedSize encoded_size(const Reservation& one) { return entry(one); }
EncodedSize encoded_size(const MeshMember& one) { return entry(one); }
EncodedSize encoded_size(const mesh::Service& one) { return entry(one); }
EncodedSize encoded_size(const PolicyVersion& one) { return entry(one); }
EncodedSize encoded_size(const ExceptionEntry& one) { return entry(one); }
EncodedSize encoded_size(const ModelVersion& one) { return entry(one); }
EncodedSize encoded_size(const Alert& one) { return entry(one); }
EncodedSize encoded_size(const LogLine& one) { return entry(one); }
EncodedSize encoded_size(const TaskNumber& one) { return entry(one); }
EncodedSize encoded_size(const LeaseView& one) { return entry(one); }
EncodedSize encoded_size(const InstanceLoad& one) { return entry(one); }
EncodedSize encoded_size(const NodeMachine& one) { return entry(one); }
EncodedSize encoded_size(const StepRecord& one) { return entry(one); }
EncodedSize encoded_size(const EvalRecord& one) { return entry(one); }
EncodedSize encoded_size(const TaskSubmitted& one) { return entry(one); }
EncodedSize encoded_size(const TaskPlanned& one) { return entry(one); }

}  // namespace divisi::control::inline state
