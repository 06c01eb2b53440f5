// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "app/client/span_book.h"
#include "backend/control/protocol/message.h"
#include "backend/control/state/incidents.h"
#include "backend/control/state/state.h"

namespace divisi::client {

enum class Connection {
    none,        ///< no cluster was requested
    starting,    ///< an embedded cluster is being started
    connecting,  ///< a connection attempt is under way
    connected,
    waiting,  ///< the last attempt failed; the next starts at retry_at
};

struct Status {
    Connection connection = Connection::none;
    QString where;    ///< the cluster's name or endpoint
    QString problem;  ///< reason why there is no connection, as a sentence
    std::chrono::steady_clock::time_point retry_at{};
    control::Role role = control::Role::viewer;
    bool hosted = false;  ///< whether this program hosts the cluster, which then ends with the program
    /// Whether this machine runs the cluster as an embedded cluster. Modules can be started only in an embedded
    /// cluster.
    bool embedded = false;
    /// Whether the data comes from a recording, so that no cluster answers requests. `problem` then says whether the
    /// cluster was reachable at the displayed time.
    bool replayed = false;
    /// Whether the views show an earlier time of a running cluster, and not a recording. `replayed` is then set as
    /// well, because orders are refused.
    bool past = false;
    /// Whether the problem is permanent: a cluster of another version, or a rejected key.
    bool lasting = false;

    /// Returns whether a cluster is connected that accepts requests.
    bool reaches() const { return connection == Connection::connected && !replayed; }
};

/// Returns why actions that need a cluster are disabled while a recording is shown; otherwise empty.
QString why_not_replayed(const Status& status);
/// Returns why running, stopping and releasing tasks is disabled: a recording is shown, or the role permits only
/// watching. Otherwise empty.
QString why_not_operated(const Status& status);

class Client;

/// Returns a text that says that this window has no cluster, and which commands start or find one.
QString no_cluster_text();
/// Does the same as why_not_operated(Status), but also returns a reason if there is no cluster (null, or none was
/// requested) or no connection.
QString why_not_operated(const Client* client);
/// Returns a text that says this window has no connection to its cluster.
QString no_connection_text();
/// Returns the text of an empty view: how to get content, or why the view has no content.
QString how_to_begin(const Client* client);

struct Mail;

/// A measurement with its arrival time, for charts.
struct LoadSample {
    std::chrono::steady_clock::time_point time{};
    control::InstanceLoad load;
    std::uint64_t number = 0;  ///< number in the order of arrival, from 1; a replay of a recording gives the same
                               ///< numbers
};

/// A measurement of a node's machine with its arrival time.
struct NodeSample {
    std::chrono::steady_clock::time_point time{};
    control::MachineFigures machine;
    std::uint64_t number = 0;
};

/// When a step was completed, in the cluster's time.
struct StepMoment {
    Generation generation = 0;
    std::int64_t step = 0;
    TimePoint time{};
};

/// Maximum number of step times kept per task; the newest are kept. Fewer step times than this arrive between two
/// refreshes.
inline constexpr std::size_t step_moment_limit = 4096;
/// Samples kept per instance: about half an hour at two per second.
inline constexpr std::size_t load_history_limit = 3600;
/// Samples kept per node: about half an hour at one per two seconds.
inline constexpr std::size_t node_history_limit = 900;

/// Progress of the upload of a task's files to the nodes that will read them.
struct Upload {
    Bytes done = 0, total = 0;  ///< total 0: the files are still being read on this machine

    bool operator==(const Upload&) const = default;
};

/// Everything that the cluster has reported so far. The events are applied to the state as in the orchestrator. Belongs
/// to the GUI thread; views read it on dataChanged().
struct ClusterData {
    control::ClusterState state;
    control::Incidents incidents;  ///< faults of tasks; step times from before the connection are unknown
    std::map<InstanceId, std::deque<LoadSample>> loads;
    std::map<NodeId, std::deque<NodeSample>> nodes;  ///< measurements of each node's machine
    /// The times at which steps were completed, in order of completion. A snapshot contains no such times, so only
    /// steps completed since the last snapshot are included.
    std::map<TaskId, std::deque<StepMoment>> step_moments;
    SpanBook spans;                                 ///< measured steps; received only while control::WatchSpans
                                                    ///< requests them
    std::uint64_t loads_taken = 0;                  ///< samples received, including those no longer kept
    std::uint64_t nodes_taken = 0;                  ///< node samples received, including those no longer kept
    std::uint64_t loads_left_out = 0;               ///< samples of both kinds dropped because the GUI was too slow
    std::chrono::steady_clock::time_point heard{};  ///< time at which a message last arrived
};

// --- orders that this program carries out ------------------------------------------------------

/// Starts a task from the text of a task file, whose relative paths are relative to `folder`. Answered by submitted().
struct SubmitText {
    QString text, folder;
    /// Number of the exception whose task was edited and is submitted again; 0: none. The exception is removed from the
    /// queue when the task is accepted.
    std::uint64_t exception = 0;
};
/// Writes the per-sample results of a batch task to a file on this machine. Answered by resultsSaved().
struct SaveResults {
    TaskId task;
    QString file;
};
/// Writes the model of a version, with its weights, to an ONNX file on this machine. Answered by versionExported(),
/// which may take minutes.
struct ExportVersion {
    std::uint64_t version = 0;
    QString file;
};
/// Cancels the upload. Files that have arrived are kept.
struct CancelUpload {};
/// Starts a module in an embedded cluster. `program` is needed if the name is not among known_modules(). Answered by
/// moduleChanged(), or by refused() after up to 10 s.
struct StartModule {
    std::string name, program;
};
using LocalOrder = OneOf<SubmitText, SaveResults, ExportVersion, CancelUpload, StartModule>;

// --- messages to the cluster -------------------------------------------------------------------

/// Reason of each control::StopTask.
inline constexpr const char* stop_reason = "stopped from the console";

enum class Sending {
    poll,   ///< sent by Client::poll()
    ask,    ///< sent by Client::ask()
    order,  ///< sent by Client::order()
};

/// A message to the cluster and its answer.
struct Answered {
    control::Message question;
    Result<control::Message> answer;
    QString why = {};  ///< reason why there is no answer, in the user's language
};

/// The connection to the cluster as the views see it. All signals are sent in the GUI thread, at most 15 times a
/// second.
class Client : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    virtual const Status& status() const = 0;
    virtual const ClusterData& data() const = 0;  ///< the cluster's data; empty before the first snapshot
    /// Returns the latest time that can be shown, in the cluster's time. For a live cluster, this is the orchestrator's
    /// current time.
    virtual TimePoint now() const;
    /// Returns the time of data(), by the cluster's clock: now for a cluster, the displayed time for a recording.
    virtual TimePoint shown() const { return now(); }

    /// Asks for data that changes all the time, for example with control::QueryMesh. on_answer() receives the newest
    /// answer. At most one question of each type is open at a time (log queries: one per kind of event). Until the
    /// answer arrives, further questions are dropped; so are questions without a connection. Failures are not reported.
    template <control::Question Q>
    void poll(const Q& question) {
        send(Sending::poll, question);
    }
    /// Asks a question. on_answer() or on_failure() receives the result, which may take minutes.
    template <control::Question Q>
    void ask(const Q& question) {
        send(Sending::ask, question);
    }
    /// Sends an order to the cluster. The new state shows its effect; if the order is refused, refused() gives the
    /// reason. If the order's type declares an Answer, on_answer() receives the answer. For an order that needs only
    /// the right to watch, refused() is not emitted.
    template <AlternativeOf<control::AnyMessage> Order>
    void order(const Order& order) {
        send(Sending::order, order);
    }
    /// Carries out an order in this program. If the order succeeds, the signal named at its type is emitted. If it
    /// fails, refused() gives the reason.
    template <AlternativeOf<LocalOrder> Order>
    void order(const Order& order) {
        carry_out(order);
    }
    /// Calls `call` with each answer to a message of type Q, whoever sent the message, while `receiver` exists. `call`
    /// is a member function of the receiver or a function object. It takes the answer, or the question and the answer.
    template <control::Question Q, typename Receiver, typename Call>
    void on_answer(Receiver* receiver, Call call);
    /// If a question of type Q that ask() sent has failed, calls `call` with the question and with the Answered that
    /// holds the reason.
    template <control::Question Q, typename Receiver, typename Call>
    void on_failure(Receiver* receiver, Call call);

    virtual void send(Sending how, const control::Message& message) = 0;
    virtual void carry_out(const LocalOrder& order) = 0;

    /// Returns the upload of the last submitted task; empty if no files are being uploaded.
    virtual const std::optional<Upload>& upload() const = 0;
    /// Returns the age of the current mesh state at the displayed time.
    virtual Duration mesh_age() const { return {}; }
    /// Returns the names of the modules that StartModule can start without a program.
    virtual std::vector<std::string> known_modules() const = 0;
    /// Tries to connect immediately instead of waiting for the next attempt.
    virtual void retry() = 0;

Q_SIGNALS:
    /// `mail` contains everything received since the last signal. Emitted before data() and status() change; used by
    /// the recorder.
    void mailCame(const divisi::client::Mail& mail);
    void statusChanged();
    void dataChanged();
    /// An answer of the cluster, or the reason why there is no answer. Receivers call on_answer() and on_failure()
    /// instead of connecting to this signal.
    void answered(const divisi::client::Answered& one);
    void uploadChanged();
    void versionExported(std::uint64_t number, const QString& file);
    /// A StartModule or control::ChangeModule order has been carried out.
    void moduleChanged();
    void submitted(const QString& task);
    void resultsSaved(const QString& file);
    void refused(const QString& what);
};

template <control::Question Q, typename Receiver, typename Call>
void Client::on_answer(Receiver* receiver, Call call) {
    using Answer = typename Q::Answer;
    connect(this, &Client::answered, receiver, [receiver, call](const Answered& one) {
        const Q* question = get_if<Q>(&one.question);
        if (!question || !one.answer.ok()) return;
        const auto tell = [&](const auto&... given) {
            if constexpr (std::is_member_function_pointer_v<Call>) (receiver->*call)(given...);
            else call(given...);
        };
        constexpr bool takes_question = std::is_invocable_v<Call, Receiver*, const Q&, const Answer&> ||
                                        std::is_invocable_v<Call, const Q&, const Answer&>;
        if constexpr (takes_question) tell(*question, get<Answer>(*one.answer));
        else tell(get<Answer>(*one.answer));
    });
}

template <control::Question Q, typename Receiver, typename Call>
void Client::on_failure(Receiver* receiver, Call call) {
    connect(this, &Client::answered, receiver, [call](const Answered& one) {
        const Q* question = get_if<Q>(&one.question);
        if (question && !one.answer.ok()) call(*question, one);
    });
}

}  // namespace divisi::client
