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
    QString problem;  ///< why there is no connection, in words
    std::chrono::steady_clock::time_point retry_at{};
    control::Role role = control::Role::viewer;
    bool hosted = false;  ///< this program hosts the cluster, which ends with the program
    /// Whether the cluster is embedded on this machine. Modules can be started only in an embedded cluster.
    bool embedded = false;
    /// Whether the data comes from a recording: the cluster cannot be asked anything. `problem` then tells whether the
    /// cluster was reachable at that moment.
    bool replayed = false;
    /// Whether the data is an earlier moment of a cluster that this window still follows, and not a recording.
    /// `replayed` is then set as well.
    bool past = false;
    /// Whether the problem is permanent: a cluster of another version, or a rejected key.
    bool lasting = false;

    /// Returns whether there is a cluster that accepts requests.
    bool reaches() const { return connection == Connection::connected && !replayed; }
};

/// Returns why actions that need a cluster are disabled while a recording is shown; otherwise empty.
QString why_not_replayed(const Status& status);
/// Returns why running, stopping and releasing tasks is disabled although there is a cluster: a recording is shown, or
/// the role may only watch. Otherwise empty.
QString why_not_operated(const Status& status);

class Client;

/// Returns a text that says this window has no cluster, and which commands start or find one.
QString no_cluster_text();
/// As above, but also covers a missing cluster (null, or none was requested) and a missing connection.
QString why_not_operated(const Client* client);
/// Returns the text of an empty view: how to get content, or what prevents it.
QString how_to_begin(const Client* client);

struct Mail;

/// A measurement with its arrival time, for charts.
struct LoadSample {
    std::chrono::steady_clock::time_point time{};
    control::InstanceLoad load;
    std::uint64_t number = 0;  ///< order of arrival, from 1; replaying a recording yields the same numbers
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

/// Limit of the step moments kept per task; the newest are kept. It exceeds the number that can arrive between two
/// refreshes.
inline constexpr std::size_t step_moment_limit = 4096;
/// Samples kept per instance: about half an hour at two per second.
inline constexpr std::size_t load_history_limit = 3600;
/// Samples kept per node: about half an hour at one per two seconds.
inline constexpr std::size_t node_history_limit = 900;

/// Progress of a task's files on their way to the nodes that will read them.
struct Upload {
    Bytes done = 0, total = 0;  ///< total 0: the files are still being read on this machine

    bool operator==(const Upload&) const = default;
};

/// Everything the cluster has reported so far: its events folded as the orchestrator folds them. Belongs to the GUI
/// thread; views read it on dataChanged().
struct ClusterData {
    control::ClusterState state;
    control::Incidents incidents;  ///< faults; step times are unknown for those before the connection
    std::map<InstanceId, std::deque<LoadSample>> loads;
    std::map<NodeId, std::deque<NodeSample>> nodes;  ///< measurements of each node's machine
    /// When steps completed, in order of completion. Holds only steps reported as they completed: a snapshot contains
    /// none.
    std::map<TaskId, std::deque<StepMoment>> step_moments;
    SpanBook spans;                                 ///< measured steps, while watch_spans() requests them
    std::uint64_t loads_taken = 0;                  ///< samples received, including those no longer kept
    std::uint64_t nodes_taken = 0;                  ///< node samples received, including those no longer kept
    std::uint64_t loads_left_out = 0;               ///< samples of both kinds dropped because the GUI was too slow
    std::chrono::steady_clock::time_point heard{};  ///< when something last arrived
};

/// The connection to the cluster as the views see it. All signals are sent in the GUI thread, at most 15 times a
/// second.
class Client : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    virtual const Status& status() const = 0;
    virtual const ClusterData& data() const = 0;  ///< empty before the first snapshot
    /// Returns the end of the known past, in the cluster's time. For a cluster this is its orchestrator's time.
    virtual TimePoint now() const;
    /// Returns the moment that data() shows, in the cluster's time: now for a cluster, the shown moment for a
    /// recording.
    virtual TimePoint shown() const { return now(); }

    /// Starts a task from the text of a task file. Its relative paths start from `folder`. Answered by submitted() or
    /// refused().
    virtual void submit(const QString& text, const QString& folder) = 0;
    /// Submits the edited task of an exception. The exception leaves the queue once the task is accepted. Answered by
    /// submitted() or refused().
    virtual void resubmit(std::uint64_t exception, const QString& text, const QString& folder) = 0;
    virtual void stop(const TaskId& task) = 0;
    /// Releases a held task, so that it may start.
    virtual void release(const TaskId& task) = 0;
    /// Writes the per-sample results of a batch to a file on this machine. Answered by resultsSaved() or refused().
    virtual void save_results(const TaskId& task, const QString& file) = 0;
    /// Returns the upload of the task submitted last; empty if nothing is being uploaded.
    virtual const std::optional<Upload>& upload() const = 0;
    /// Cancels the upload. Answered by refused(). Files that have arrived are kept.
    virtual void cancel_upload() = 0;
    /// Asks for gateways, routers and their reports. Answered by meshCame(). Only one question is under way at a time:
    /// further calls meanwhile, and calls without a connection, are ignored.
    virtual void ask_mesh() = 0;
    /// Returns the age, at the shown moment, of the mesh state that meshCame() reports now.
    virtual Duration mesh_age() const { return {}; }
    /// Asks for the RSVP messages after this number (control::SignalRecord), under the rules of ask_mesh(). Answered by
    /// signalsCame().
    virtual void ask_signals(std::uint64_t after) = 0;
    /// Asks for registered services; control::ServiceWatch forms the question. Follows the rules of ask_mesh().
    /// Answered by servicesCame(), which may take control::watch_patience.
    virtual void ask_services(const control::WatchServices& question) = 0;
    /// Asks for a page of receipts; control::ReceiptBook forms the question. Follows the rules of ask_mesh(). Answered
    /// by receiptsCame().
    virtual void ask_receipts(const control::QueryLog& question) = 0;
    /// Asks for lines of the cluster's log, under the rules of ask_mesh(). Answered by logCame().
    virtual void ask_log(const control::QueryLog& question) = 0;
    /// Resubmits the task of an exception. Answered by submitted() or refused().
    virtual void retry_exception(std::uint64_t number) = 0;
    /// Removes the exception from the exception queue. The new state or refused() answers.
    virtual void drop_exception(std::uint64_t number) = 0;
    /// Asks a node for its state stores. Answered by storesCame(). If the node cannot answer, StoreList::error is set.
    virtual void ask_stores(const control::ListStores& question) = 0;
    /// Asks for rows of a state store. Answered by storeRowsCame().
    virtual void ask_store_rows(const control::ReadStore& question) = 0;
    /// Asks for output lines of processes. Answered by linesCame() or linesRefused().
    virtual void ask_lines(const control::QueryLines& question) = 0;
    /// Requests the spans of a task's steps for as long as control::span_watch. The caller repeats the request before
    /// that time ends. The spans arrive in data(). A cluster that cannot measure spans sends none.
    virtual void watch_spans(const TaskId& task) = 0;
    /// Deletes the weights of a version. The new state or refused() answers.
    virtual void drop_version(std::uint64_t number) = 0;
    /// Makes the committed checkpoint after this step a permanent version. The new state or refused() answers.
    virtual void keep_checkpoint(const TaskId& task, std::int64_t step) = 0;
    /// Writes the model of a version, with its weights, to an ONNX file on this machine. Answered by versionExported()
    /// or refused(), which may take minutes.
    virtual void export_version(std::uint64_t number, const QString& file) = 0;
    /// Drains a node: it gets no new instances, and stages of trainings leave it. With `undo` it accepts instances
    /// again. The new state or refused() answers.
    virtual void drain_node(const NodeId& node, bool undo) = 0;
    /// Asks what a training task would gain from other cuts. Answered by adviceCame() or adviceRefused(), which may
    /// take a minute.
    virtual void ask_advice(const TaskId& task) = 0;
    /// Gives a training task another plan. Answered by recutDone() or recutRefused(), which may take minutes.
    virtual void recut(const control::Recut& wanted) = 0;
    // Injects faults on purpose, if control::MeshState::faults_allowed. Otherwise refused() gives the reason.
    virtual void fault_link(const control::LinkFault& fault) = 0;
    virtual void kill_router(const std::string& name) = 0;
    virtual void kill_instance(const std::string& sid) = 0;
    virtual void kill_node(const std::string& name) = 0;
    virtual void pause_instance(const std::string& sid, double seconds) = 0;
    /// Heals the link between the two names; without names heals all links.
    virtual void heal_faults(const std::string& a, const std::string& b) = 0;
    /// Asks for the policy versions and which devices apply which version. Answered by policiesCame(), under the rules
    /// of ask_mesh().
    virtual void ask_policies() = 0;
    /// Creates a policy version from settings of the form "KEY=VALUE". Answered by policySet() or refused().
    virtual void set_policies(const std::vector<std::string>& settings) = 0;
    /// Creates a policy version with the entries of `version`; 0 stands for the previous version.
    virtual void roll_back_policies(std::uint64_t version) = 0;
    /// Predicts the effect of the settings on the running tasks, without applying them. Answered by policyTried() or
    /// refused().
    virtual void try_policies(const std::vector<std::string>& settings) = 0;
    /// Asks for functional modules. Answered by modulesCame(), under the rules of ask_mesh().
    virtual void ask_modules() = 0;
    /// Returns the names of the modules that start_module() can start.
    virtual std::vector<std::string> known_modules() const = 0;
    /// Starts a module in an embedded cluster. `program` is needed if the name is not among known_modules(). Answered
    /// by moduleChanged(), or by refused() after up to 10 s.
    virtual void start_module(const std::string& name, const std::string& program) = 0;
    /// Ends the module's processes of this version. If `version` is empty, ends all of them for good, even one that
    /// hangs. Answered as start_module() is.
    virtual void stop_module(const std::string& name, const std::string& version) = 0;
    /// Makes this version of the module the one that advises. Answered as start_module() is.
    virtual void use_module(const std::string& name, const std::string& version) = 0;
    /// Tries to connect at once instead of waiting.
    virtual void retry() = 0;

Q_SIGNALS:
    /// Everything received since the last signal, sent before data() and status() change. A recorder uses it.
    void mailCame(const divisi::client::Mail& mail);
    void statusChanged();
    void dataChanged();
    void uploadChanged();
    void meshCame(const divisi::control::MeshState& mesh);
    void signalsCame(const divisi::control::Signals& signals);
    /// Carries the question that it answers. A question asked twice is answered twice.
    void servicesCame(const divisi::control::WatchServices& question, const divisi::control::ServiceChanges& answer);
    void receiptsCame(const divisi::control::LogPage& page);
    /// The signal carries the question that it answers.
    void logCame(const divisi::control::QueryLog& question, const divisi::control::LogPage& page);
    // Each signal carries the question that it answers.
    void storesCame(const divisi::control::ListStores& question, const divisi::control::StoreList& answer);
    void storeRowsCame(const divisi::control::ReadStore& question, const divisi::control::StorePage& answer);
    void linesCame(const divisi::control::QueryLines& question, const divisi::control::LinesPage& page);
    void linesRefused(const divisi::control::QueryLines& question, const QString& why);
    void versionExported(std::uint64_t number, const QString& file);
    void adviceCame(const divisi::TaskId& task, const divisi::control::RecutAdvised& advised);
    void adviceRefused(const divisi::TaskId& task, const QString& why);
    void policiesCame(const divisi::control::PoliciesState& policies);
    void policySet(std::uint64_t version);
    void policyTried(const divisi::control::PolicyTrial& trial);
    void modulesCame(const divisi::control::ModulesState& modules);
    /// A request about a module has been carried out.
    void moduleChanged();
    void submitted(const QString& task);
    void resultsSaved(const QString& file);
    void recutDone(const divisi::TaskId& task, const divisi::control::RecutDone& done);
    void recutRefused(const divisi::TaskId& task, const QString& why);
    void refused(const QString& what);
};

}  // namespace divisi::client
