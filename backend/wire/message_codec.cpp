// SPDX-License-Identifier: Apache-2.0
#include "backend/wire/message_codec.h"

#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "backend/base/clock_offset.h"
#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/signal_texts.h"
#include "backend/frame/control_frame.h"
#include "backend/wire/codec_fields.h"
#include "backend/wire/element_budget.h"

namespace divisi::wire {
namespace {

namespace pb = google::protobuf;

// The values that an enumeration may have on the wire: from the first to the last, without gaps.
template <typename E>
struct Range;
template <>
struct Range<ErrorCode> {
    static constexpr int first = 0, last = int(ErrorCode::failed);
};
template <>
struct Range<Severity> {
    static constexpr int first = 0, last = int(Severity::error);
};
template <>
struct Range<control::Role> {
    static constexpr int first = 1, last = int(control::Role::module);
};
template <>
struct Range<control::NodeState> {
    static constexpr int first = 1, last = int(control::NodeState::away);
};
template <>
struct Range<control::InstanceState> {
    static constexpr int first = 1, last = int(control::InstanceState::standby);
};
template <>
struct Range<control::TaskPhase> {
    static constexpr int first = 1, last = int(control::TaskPhase::ended);
};
template <>
struct Range<control::QueueState> {
    static constexpr int first = 0, last = int(control::QueueState::files);
};
template <>
struct Range<control::Outcome> {
    static constexpr int first = 0, last = int(control::Outcome::stopped);
};
template <>
struct Range<control::UnitState> {
    static constexpr int first = 1, last = int(control::UnitState::failed);
};

template <>
struct Range<control::Discipline> {
    static constexpr int first = 0, last = int(control::Discipline::share);
};

template <>
struct Range<control::LinkTransport> {
    static constexpr int first = 1, last = int(control::LinkTransport::mesh);
};

template <>
struct Range<mesh::DeviceRole> {
    static constexpr int first = 1, last = int(mesh::DeviceRole::router);
};

template <>
struct Range<mesh::FlowClass> {
    static constexpr int first = 0, last = int(mesh::FlowClass::blob);
};

template <>
struct Range<control::SignalKind> {
    static constexpr int first = 0, last = int(control::report_signal);
};

template <>
struct Range<mesh::Outcome> {
    static constexpr int first = 1, last = int(mesh::Outcome::limited);
};

template <>
struct Range<mesh::AbnormalKind> {
    static constexpr int first = 1, last = int(mesh::AbnormalKind::buffer_free);
};
template <>
struct Range<mesh::mic::Cause> {
    static constexpr int first = 1, last = int(mesh::mic::Cause::silent);
};
template <>
struct Range<control::PolicyKey> {
    static constexpr int first = 1, last = int(control::PolicyKey::alarm_full);
};
template <>
struct Range<control::ModuleInput> {
    static constexpr int first = 1, last = int(control::ModuleInput::tasks);
};
template <>
struct Range<control::AdviceKind> {
    static constexpr int first = 1, last = int(control::AdviceKind::drain);
};
template <>
struct Range<control::AdviceOutcome> {
    static constexpr int first = 1, last = int(control::AdviceOutcome::expired);
};
template <>
struct Range<control::ModuleState> {
    static constexpr int first = 1, last = int(control::ModuleState::cut_off);
};
template <>
struct Range<mesh::Health> {
    static constexpr int first = 1, last = int(mesh::Health::faulted);
};
template <>
struct Range<mesh::LeaseStanding> {
    static constexpr int first = 0, last = int(mesh::LeaseStanding::lapsed);
};
template <>
struct Range<task::CheckpointRule::Every> {
    static constexpr int first = 0, last = int(task::CheckpointRule::Every::automatic);
};
template <>
struct Range<task::FaultAnswer> {
    static constexpr int first = 0, last = int(task::FaultAnswer::wait);
};
template <>
struct Range<control::LeaseCategory> {
    static constexpr int first = 1, last = int(control::LeaseCategory::gpu);
};
template <>
struct Range<control::LeaseState> {
    static constexpr int first = 1, last = int(control::LeaseState::reclaimed);
};

template <>
struct Range<control::AlertRule> {
    static constexpr int first = 1, last = int(control::AlertRule::loss_not_finite);
};
template <>
struct Range<plan::OperationKind> {
    static constexpr int first = 0, last = int(plan::OperationKind::evaluate);
};

template <typename T>
concept Enumeration = std::is_enum_v<T>;
template <typename T>
concept Struct = requires {
    typename Proto<T>::type;
};

/// Checks the content of a well-formed value. Most types allow any content.
template <typename T>
Result<void> check_value(const T&) {
    return {};
}
Result<void> check_value(const task::PricedPlan& plan) { return task::check_priced(plan); }
Result<void> check_value(const control::InstanceSpans& spans) { return control::check_spans(spans); }
Result<void> check_value(const control::SpanPush& push) {
    if (push.offset >= -ClockOffset::most && push.offset <= ClockOffset::most) return {};
    return Error{ErrorCode::corrupt, "SpanPush.offset is not a possible difference of two clocks", "control message",
                 "run the same Divisi version on all machines"};
}
Result<void> check_value(const control::ModelSegmented& answer) {
    if (std::isfinite(answer.time_ms)) return {};
    return Error{ErrorCode::corrupt, "ModelSegmented.time_ms is not a valid time", "control message",
                 "run the same Divisi version on all machines"};
}

/// The keys of the state's maps are contained in their values.
const NodeId& key_of(const control::NodeView& v) { return v.info.id; }
const InstanceId& key_of(const control::InstanceView& v) { return v.id; }
const TaskId& key_of(const control::TaskView& v) { return v.id; }
const std::string& key_of(const control::KeyChanged& v) { return v.public_key; }
const std::string& key_of(const control::TaskNumber& v) { return v.name; }
std::uint64_t key_of(const control::LeaseView& v) { return v.lease.number; }
const std::string& key_of(const control::SubmitterView& v) { return v.name; }
std::uint64_t key_of(const control::Reservation& v) { return v.number; }
std::uint64_t key_of(const control::ExceptionEntry& v) { return v.number; }
std::uint64_t key_of(const control::ModelVersion& v) { return v.number; }
std::uint64_t key_of(const control::Alert& v) { return v.number; }
const std::string& key_of(const control::MeshMember& v) { return v.name; }
std::uint64_t key_of(const control::PolicyVersion& v) { return v.version; }
const Sid& key_of(const mesh::Service& v) { return v.said.sid; }

control::LinkKey key_of(const control::LinkView& v) { return control::key_of(v.link); }

constexpr int event_body_base = 10;

/// Returns whether the names of the heads stay within the memory limit if each of `records` steps repeats them.
/// Without this check, a few bytes in a message could make the receiver hold far more.
bool heads_fit(std::size_t records, const std::vector<control::HeadRecord>& heads) {
    constexpr std::size_t most_bytes = std::size_t{64} << 20;  // enough for a long history with some hundred heads
    std::size_t bytes = 0;
    for (const control::HeadRecord& head : heads) bytes += sizeof head + head.name.size();
    return bytes == 0 || records <= most_bytes / bytes;
}

// --- domain -> Protobuf ------------------------------------------------------------------------

struct Writer {
    pb::Message& out;
    const pb::Reflection& reflection = *out.GetReflection();
    const pb::Descriptor& descriptor = *out.GetDescriptor();

    template <typename... F>
    void operator()(const F&... f) {
        [[maybe_unused]] int number = 0;
        (put(descriptor.FindFieldByNumber(++number), f), ...);
    }

    using Field = const pb::FieldDescriptor*;
    void put(Field f, const std::string& v) { reflection.SetString(&out, f, v); }
    void put(Field f, bool v) { reflection.SetBool(&out, f, v); }
    void put(Field f, float v) { reflection.SetFloat(&out, f, v); }
    void put(Field f, double v) { reflection.SetDouble(&out, f, v); }
    void put(Field f, std::int32_t v) { reflection.SetInt32(&out, f, v); }
    void put(Field f, std::int64_t v) { reflection.SetInt64(&out, f, v); }
    void put(Field f, std::uint32_t v) { reflection.SetUInt32(&out, f, v); }
    void put(Field f, std::uint64_t v) { reflection.SetUInt64(&out, f, v); }
    void put(Field f, TimePoint v) { put(f, static_cast<std::int64_t>(v.time_since_epoch().count())); }
    void put(Field f, Duration v) { put(f, static_cast<std::int64_t>(v.count())); }
    template <Enumeration E>
    void put(Field f, E v) {
        put(f, static_cast<std::int32_t>(v));
    }
    template <typename Tag>
    void put(Field f, const StrongId<Tag, std::string>& v) {
        put(f, v.value());
    }
    template <typename T>
    void put(Field f, const std::optional<T>& v) {
        if (v) put(f, *v);
    }
    template <Struct T>
    void put(Field f, const T& v) {
        write(*reflection.MutableMessage(&out, f), v);
    }

    void put(Field f, const std::deque<control::StepRecord>& v) {
        auto& columns = static_cast<v1::StepColumns&>(*reflection.MutableMessage(&out, f));
        for (const control::StepRecord& record : v) {
            columns.add_step(record.step);
            columns.add_loss(record.loss);
            columns.add_step_ms(record.step_ms);
            columns.add_samples_per_s(record.samples_per_s);
            columns.add_generation(record.generation);
        }
        const auto alike = [&](const control::StepRecord& record) {
            return record.heads.size() == v.front().heads.size();
        };
        if (v.empty() || !std::all_of(v.begin(), v.end(), alike) || !heads_fit(v.size(), v.front().heads)) return;
        for (const control::HeadRecord& head : v.front().heads) columns.add_head(head.name);
        for (const control::StepRecord& record : v)
            for (const control::HeadRecord& head : record.heads) columns.add_head_loss(head.loss);
    }
    void put(Field f, const std::vector<control::OperationSpan>& v) {
        auto& columns = static_cast<v1::SpanColumns&>(*reflection.MutableMessage(&out, f));
        for (const control::OperationSpan& span : v) {
            columns.add_unit(span.unit);
            columns.add_kind(static_cast<std::int32_t>(span.kind));
            columns.add_microbatch(span.microbatch);
            columns.add_begin(span.begin.count());
            columns.add_length(span.length.count());
        }
    }
    template <typename T>
    void put(Field f, const std::vector<T>& v) {
        for (const T& e : v) add(f, e);
    }
    template <typename T>
    void put(Field f, const std::deque<T>& v) {
        for (const T& e : v) add(f, e);
    }
    template <typename K, typename T>
    void put(Field f, const std::map<K, T>& v) {
        for (const auto& entry : v) add(f, entry.second);
    }
    void put(Field, const control::Event::Body& v) {
        const auto* f = descriptor.FindFieldByNumber(event_body_base + static_cast<int>(v.index()));
        visit([&](const auto& body) { put(f, body); }, v);
    }

    void add(Field f, const std::string& v) { reflection.AddString(&out, f, v); }
    template <typename Tag>
    void add(Field f, const StrongId<Tag, std::string>& v) {
        add(f, v.value());
    }
    void add(Field f, std::int32_t v) { reflection.AddInt32(&out, f, v); }
    void add(Field f, std::uint32_t v) { reflection.AddUInt32(&out, f, v); }
    template <Enumeration E>
    void add(Field f, E v) {
        add(f, static_cast<std::int32_t>(v));
    }
    template <Struct T>
    void add(Field f, const T& v) {
        write(*reflection.AddMessage(&out, f), v);
    }

    template <Struct T>
    static void write(pb::Message& message, const T& value) {
        Writer writer{message};
        control::FieldList<T>::visit(writer, value);
    }
};

// --- Protobuf -> domain ------------------------------------------------------------------------

struct Reader {
    const pb::Message& in;
    std::optional<Error>& error;  ///< error of the first field that fails a check
    const pb::Reflection& reflection = *in.GetReflection();
    const pb::Descriptor& descriptor = *in.GetDescriptor();

    template <typename... F>
    void operator()(F&... f) {
        [[maybe_unused]] int number = 0;
        (take(descriptor.FindFieldByNumber(++number), f), ...);
    }

    using Field = const pb::FieldDescriptor*;
    /// Returns whether a field is present; an absent optional field keeps the domain's default.
    bool given(Field f) const { return !f->has_presence() || reflection.HasField(in, f); }
    void take(Field f, std::string& v) {
        if (given(f)) v = reflection.GetString(in, f);
    }
    void take(Field f, bool& v) {
        if (given(f)) v = reflection.GetBool(in, f);
    }
    void take(Field f, float& v) {
        if (given(f)) v = reflection.GetFloat(in, f);
    }
    void take(Field f, double& v) {
        if (given(f)) v = reflection.GetDouble(in, f);
    }
    void take(Field f, std::int32_t& v) {
        if (given(f)) v = reflection.GetInt32(in, f);
    }
    void take(Field f, std::int64_t& v) {
        if (given(f)) v = reflection.GetInt64(in, f);
    }
    void take(Field f, std::uint32_t& v) {
        if (given(f)) v = reflection.GetUInt32(in, f);
    }
    void take(Field f, std::uint64_t& v) {
        if (given(f)) v = reflection.GetUInt64(in, f);
    }
    void take(Field f, TimePoint& v) { v = TimePoint(Duration(reflection.GetInt64(in, f))); }
    void take(Field f, Duration& v) { v = Duration(reflection.GetInt64(in, f)); }
    template <Enumeration E>
    void take(Field f, E& v) {
        set(f, reflection.GetInt32(in, f), v);
    }
    template <Enumeration E>
    void set(Field f, int number, E& v) {
        if (number < Range<E>::first || number > Range<E>::last)
            return refuse(std::string(f->full_name()) + " has the unknown value " + std::to_string(number));
        v = static_cast<E>(number);
    }
    template <typename Tag>
    void take(Field f, StrongId<Tag, std::string>& v) {
        v = StrongId<Tag, std::string>(reflection.GetString(in, f));
    }
    template <typename T>
    void take(Field f, std::optional<T>& v) {
        v.reset();
        if (reflection.HasField(in, f)) take(f, v.emplace());
    }
    template <Struct T>
    void take(Field f, T& v) {
        read(reflection.GetMessage(in, f), v, error);
    }

    void take(Field f, std::deque<control::StepRecord>& v) {
        const auto& columns = static_cast<const v1::StepColumns&>(reflection.GetMessage(in, f));
        const int n = columns.step_size();
        if (columns.loss_size() != n || columns.step_ms_size() != n || columns.samples_per_s_size() != n ||
            columns.generation_size() != n || columns.head_loss_size() != std::int64_t{n} * columns.head_size())
            return refuse(std::string(f->full_name()) + " has columns of unequal length");
        std::vector<control::HeadRecord> heads;
        for (const std::string& name : columns.head()) heads.push_back({name, 0, {}});
        if (!heads_fit(static_cast<std::size_t>(n), heads))
            return refuse(std::string(f->full_name()) + " has too many heads for its steps");
        for (int i = 0; i < n; ++i) {
            for (int h = 0; h < columns.head_size(); ++h)
                heads[h].loss = columns.head_loss(i * columns.head_size() + h);
            v.push_back({columns.step(i), columns.loss(i), columns.step_ms(i), columns.samples_per_s(i),
                         columns.generation(i), heads});
        }
    }
    void take(Field f, std::vector<control::OperationSpan>& v) {
        const auto& columns = static_cast<const v1::SpanColumns&>(reflection.GetMessage(in, f));
        const int n = columns.unit_size();
        if (columns.kind_size() != n || columns.microbatch_size() != n || columns.begin_size() != n ||
            columns.length_size() != n)
            return refuse(std::string(f->full_name()) + " has columns of unequal length");
        if (static_cast<std::size_t>(n) > control::most_reported_spans)
            return refuse(std::string(f->full_name()) + " has " + std::to_string(n) + " operations; at most " +
                          std::to_string(control::most_reported_spans) + " are reported");
        for (int i = 0; i < n && !error; ++i) {
            control::OperationSpan& span = v.emplace_back();
            span.unit = columns.unit(i);
            set(f, columns.kind(i), span.kind);
            span.microbatch = columns.microbatch(i);
            span.begin = Duration(columns.begin(i));
            span.length = Duration(columns.length(i));
        }
    }
    template <typename List>
    void take_list(Field f, List& v) {
        const int n = reflection.FieldSize(in, f);
        for (int i = 0; i < n && !error; ++i) element(f, i, v.emplace_back());
    }
    template <typename T>
    void take(Field f, std::vector<T>& v) {
        take_list(f, v);
    }
    template <typename T>
    void take(Field f, std::deque<T>& v) {
        take_list(f, v);
    }
    template <typename K, typename T>
    void take(Field f, std::map<K, T>& v) {
        const int n = reflection.FieldSize(in, f);
        for (int i = 0; i < n && !error; ++i) {
            T value;
            element(f, i, value);
            const K key = key_of(value);
            v.emplace(key, std::move(value));
        }
    }
    void take(Field, control::Event::Body& v) {
        const auto* f = reflection.GetOneofFieldDescriptor(in, descriptor.oneof_decl(0));
        if (f == nullptr) return refuse("an event without a body, or of a kind this version does not know");
        take_body(f, v, std::make_index_sequence<control::AnyEvent::size>{});
    }
    template <std::size_t... I>
    void take_body(Field f, control::Event::Body& v, std::index_sequence<I...>) {
        const auto index = static_cast<std::size_t>(f->number() - event_body_base);
        ((index == I ? take(f, v.emplace<I>()) : void()), ...);
    }

    void element(Field f, int i, std::string& v) { v = reflection.GetRepeatedString(in, f, i); }
    void element(Field f, int i, std::int32_t& v) { v = reflection.GetRepeatedInt32(in, f, i); }
    void element(Field f, int i, std::uint32_t& v) { v = reflection.GetRepeatedUInt32(in, f, i); }
    template <Enumeration E>
    void element(Field f, int i, E& v) {
        set(f, reflection.GetRepeatedInt32(in, f, i), v);
    }
    template <typename Tag>
    void element(Field f, int i, StrongId<Tag, std::string>& v) {
        v = StrongId<Tag, std::string>(reflection.GetRepeatedString(in, f, i));
    }
    template <Struct T>
    void element(Field f, int i, T& v) {
        read(reflection.GetRepeatedMessage(in, f, i), v, error);
    }

    void refuse(std::string what) {
        if (error) return;
        error = Error{ErrorCode::corrupt, std::move(what), "control message",
                      "run the same Divisi version on all machines"};
    }

    template <Struct T>
    static void read(const pb::Message& message, T& value, std::optional<Error>& error) {
        Reader reader{message, error};
        control::FieldList<T>::visit(reader, value);
        if (auto checked = check_value(value); !checked.ok() && !error) error = std::move(checked).error();
    }
};

/// Returns the encoded message; an error if it exceeds `limit` bytes.
Result<std::string> serialize(const pb::Message& message, std::size_t limit, const char* kind) {
    const std::size_t size = message.ByteSizeLong();
    if (size > limit)
        return Error{ErrorCode::exhausted,
                     std::string(kind) + " of " + std::to_string(size) + " bytes exceeds " + std::to_string(limit),
                     "control message", "send less at once"};
    return message.SerializeAsString();
}

/// Parses `bytes` into `message`. Returns an error if they are malformed or exceed a limit.
std::optional<Error> parse(pb::Message& message, std::span<const std::byte> bytes, std::size_t limit) {
    const auto refuse = [&](std::string what) {
        return Error{ErrorCode::corrupt, std::string(message.GetDescriptor()->name()) + ": " + what, "control message",
                     "run the same Divisi version on all machines"};
    };
    if (bytes.size() > limit) return refuse(std::to_string(bytes.size()) + " bytes exceed " + std::to_string(limit));
    if (!within_element_budget(*message.GetDescriptor(), bytes)) return refuse("malformed, or too many elements");
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return refuse("malformed");
    return {};
}

template <Struct T>
Result<std::string> to_bytes(const T& value, std::size_t limit, const char* kind) {
    typename Proto<T>::type message;
    Writer::write(message, value);
    return serialize(message, limit, kind);
}

/// Reads `value` from its encoding.
template <Struct T>
std::optional<Error> read_bytes(std::span<const std::byte> bytes, std::size_t limit, T& value) {
    typename Proto<T>::type message;
    std::optional<Error> error = parse(message, bytes, limit);
    if (!error) Reader::read(message, value, error);
    return error;
}

template <Struct T>
Result<T> from_bytes(std::span<const std::byte> bytes, std::size_t limit) {
    T value{};
    if (auto error = read_bytes(bytes, limit, value)) return *std::move(error);
    return value;
}

template <std::size_t Index>
std::optional<Error> decode_one(std::span<const std::byte> bytes, std::size_t limit, control::Message& message) {
    return read_bytes(bytes, limit, message.emplace<Index>());
}

template <std::size_t... I>
std::optional<Error> decode_as(MessageType type, std::span<const std::byte> bytes, control::Message& message,
                               std::index_sequence<I...>) {
    using Decode = std::optional<Error> (*)(std::span<const std::byte>, std::size_t, control::Message&);
    static constexpr Decode decoders[] = {&decode_one<I>...};
    return decoders[type](bytes, size_limit(type), message);
}

constexpr std::size_t message_types = control::AnyMessage::size;
/// Limit for messages that contain a skeleton, a task's text and a plan's cuts.
constexpr std::size_t with_skeleton_limit = control::skeleton_limit + control::event_bytes;
/// Limit for a plan: the names of all operators, up to the element budget.
constexpr std::size_t plan_limit = 16u << 20;

template <typename T>
constexpr std::size_t limit_of() {
    using namespace control;
    if constexpr (std::is_same_v<T, SubmitTask> || std::is_same_v<T, Deploy> || std::is_same_v<T, SkeletonData> ||
                  std::is_same_v<T, SegmentModel>)
        return with_skeleton_limit;
    else if constexpr (std::is_same_v<T, ModelSegmented>) return plan_limit;
    else if constexpr (std::is_same_v<T, Snapshot> || std::is_same_v<T, EventPush> || std::is_same_v<T, LogPage> ||
                       std::is_same_v<T, LinesPage>)
        return page_bytes;
    else if constexpr (std::is_same_v<T, StepReport> || std::is_same_v<T, EvalReport>) return report_bytes;
    else if constexpr (std::is_same_v<T, SubmitReply> || std::is_same_v<T, Peers> || std::is_same_v<T, LoadPush> ||
                       std::is_same_v<T, MissedReports> || std::is_same_v<T, WhichBlobs> ||
                       std::is_same_v<T, OpenBlobEnd> || std::is_same_v<T, FetchBlob> || std::is_same_v<T, MeshTable> ||
                       std::is_same_v<T, MeshChange> || std::is_same_v<T, DeviceReport> ||
                       std::is_same_v<T, MeshState> || std::is_same_v<T, AdmissionPolicy> ||
                       std::is_same_v<T, Requests> || std::is_same_v<T, Signals> || std::is_same_v<T, ServiceChanges> ||
                       std::is_same_v<T, NeededBlobs> || std::is_same_v<T, NodesState> || std::is_same_v<T, Reserve> ||
                       std::is_same_v<T, NodeReport> || std::is_same_v<T, RegisterNode> ||
                       std::is_same_v<T, DevicePolicy> || std::is_same_v<T, SetPolicies> ||
                       std::is_same_v<T, PoliciesState> || std::is_same_v<T, AbnormalState> ||
                       std::is_same_v<T, Observe> || std::is_same_v<T, ModulesState> || std::is_same_v<T, MicUnits> ||
                       std::is_same_v<T, MicReport> || std::is_same_v<T, MicsState> || std::is_same_v<T, TryPolicies> ||
                       std::is_same_v<T, PolicyTrial> || std::is_same_v<T, StoreList> || std::is_same_v<T, StorePage> ||
                       std::is_same_v<T, Recut> || std::is_same_v<T, PreparePlan>)
        return event_bytes;
    else return frame::control_frame_limit;
}

template <std::size_t... I>
constexpr std::array<std::size_t, message_types> make_limits(std::index_sequence<I...>) {
    return {limit_of<typename control::AnyMessage::template Type<I>>()...};
}
constexpr auto limits = make_limits(std::make_index_sequence<message_types>{});

}  // namespace

std::size_t size_limit(MessageType type) { return type < limits.size() ? limits[type] : 0; }

Result<std::string> encode(const control::Message& message) {
    return visit([&](const auto& m) { return to_bytes(m, size_limit(type_of(message)), control::kind_name(message)); },
                 message);
}

Result<control::Message> decode(MessageType type, std::span<const std::byte> bytes) {
    if (type >= message_types)
        return Error{ErrorCode::unsupported, "message number " + std::to_string(type), "control message",
                     "run the same Divisi version on all machines"};
    control::Message message;
    if (auto error = decode_as(type, bytes, message, std::make_index_sequence<message_types>{}))
        return *std::move(error);
    return message;
}

Result<std::string> encode_load(const mesh::LoadAdvert& advert) {
    return to_bytes(advert, mesh::max_load_bytes, "load_advert");
}

Result<mesh::LoadAdvert> decode_load(std::span<const std::byte> bytes) {
    return from_bytes<mesh::LoadAdvert>(bytes, mesh::max_load_bytes);
}

Result<std::string> encode_event(const control::Event& event) {
    return to_bytes(event, control::event_bytes, control::kind_name(event.body));
}

Result<control::Event> decode_event(std::span<const std::byte> bytes) {
    return from_bytes<control::Event>(bytes, control::event_bytes);
}

Result<std::string> encode_page(const control::Snapshot& page) {
    return to_bytes(page, control::page_bytes, "snapshot");
}

Result<control::Snapshot> decode_page(std::span<const std::byte> bytes) {
    return from_bytes<control::Snapshot>(bytes, control::page_bytes);
}

}  // namespace divisi::wire
