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
    none,        ///< no cluster was asked for
    starting,    ///< an embedded cluster is being started
    connecting,  ///< an attempt is under way
    connected,
    waiting,  ///< the last attempt failed; the next comes at retry_at
};

struct Status {
    Connection connection = Connection::none;
    QString where;    ///< the cluster's name or endpoint
    QString problem;  ///< why there is no connection, in words
    std::chrono::steady_clock::time_point retry_at{};
    control::Role role = control::Role::viewer;
    bool hosted = false;  ///< this program hosts the cluster, which ends with it
    /// It is embedded on this machine, so that modules can be started beside it.
    bool embedded = false;
    /// What is shown was recorded: nothing can be asked of the cluster. `problem` says whether it was heard then.
    bool replayed = false;
    /// Beside `replayed`: not a recording, but an earlier moment of the cluster that this window goes on hearing.
    bool past = false;
    /// What is wrong does not mend by itself: a cluster of another version, a key that is refused.
    bool lasting = false;

    /// Whether a cluster is there that can be asked to do something.
    bool reaches() const { return connection == Connection::connected && !replayed; }
};

/// Why what needs a cluster is grey where a recording is shown; empty elsewhere.
QString why_not_replayed(const Status& status);
/// Why what runs, stops or releases tasks is grey although a cluster is there: a recording, or a role that may only
/// watch. Empty elsewhere.
QString why_not_operated(const Status& status);

class Client;

/// That this window has no cluster, and what of it begins or finds one.
QString no_cluster_text();
/// As above, and also where there is no cluster (null, or none was asked for), or no connection to it.
QString why_not_operated(const Client* client);
/// For an empty view: what the reader does so that something is there, or what is in the way of that.
QString how_to_begin(const Client* client);

struct Mail;

/// A measurement and when it came, for charts.
struct LoadSample {
    std::chrono::steady_clock::time_point time{};
    control::InstanceLoad load;
    std::uint64_t number = 0;  ///< from 1, in the order in which samples came; a recording gives the same ones again
};

/// Likewise of a node's machine.
struct NodeSample {
    std::chrono::steady_clock::time_point time{};
    control::MachineFigures machine;
    std::uint64_t number = 0;
};

/// When a step was done, in the time of events.
struct StepMoment {
    Generation generation = 0;
    std::int64_t step = 0;
    TimePoint time{};
};

/// Moments of one task that are kept, the newest: more than come between two looks at them.
inline constexpr std::size_t step_moment_limit = 4096;
/// Samples of one instance that are kept; at two a second this is about half an hour.
inline constexpr std::size_t load_history_limit = 3600;
/// Likewise of one node, at one in two seconds.
inline constexpr std::size_t node_history_limit = 900;

/// The files of a task on their way to the nodes that will read them.
struct Upload {
    Bytes done = 0, total = 0;  ///< total 0: they are still being read here

    bool operator==(const Upload&) const = default;
};

/// What the cluster told so far: the fold of its events, as the orchestrator itself folds them. Lives in the
/// GUI thread; views read it when dataChanged() comes.
struct ClusterData {
    control::ClusterState state;
    control::Incidents incidents;  ///< of faults; of those before the connection the times of steps are not known
    std::map<InstanceId, std::deque<LoadSample>> loads;
    std::map<NodeId, std::deque<NodeSample>> nodes;  ///< what their machines do
    /// Of steps that were heard of as they were done, in the order in which they were; a snapshot has none.
    std::map<TaskId, std::deque<StepMoment>> step_moments;
    SpanBook spans;                                 ///< measured steps, as long as watch_spans() asks for them
    std::uint64_t loads_taken = 0;                  ///< samples that came, those that are no longer kept included
    std::uint64_t nodes_taken = 0;                  ///< likewise
    std::uint64_t loads_left_out = 0;               ///< samples of both that came faster than the GUI took them
    std::chrono::steady_clock::time_point heard{};  ///< when something last came
};

/// The connection as the views see it. All signals are sent in the GUI thread, at most 15 times a second.
class Client : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    virtual const Status& status() const = 0;
    virtual const ClusterData& data() const = 0;  ///< empty before the first snapshot
    /// The end of the past, in the time of events: of a cluster the time of its orchestrator.
    virtual TimePoint now() const;
    /// The moment that data() is of, likewise: of a cluster now, of a recording the moment that it shows.
    virtual TimePoint shown() const { return now(); }

    /// Starts a task from the text of a task file; `folder` is what its paths are relative to.
    /// Answered by submitted() or refused().
    virtual void submit(const QString& text, const QString& folder) = 0;
    /// Likewise for the edited task of an exception, which leaves the exception queue once the task is accepted.
    virtual void resubmit(std::uint64_t exception, const QString& text, const QString& folder) = 0;
    virtual void stop(const TaskId& task) = 0;
    /// Lets a held task start.
    virtual void release(const TaskId& task) = 0;
    /// Writes what a batch has said of its samples to a file of this machine; resultsSaved() or refused() tells.
    virtual void save_results(const TaskId& task, const QString& file) = 0;
    /// Of the task submitted last; empty when nothing is on its way.
    virtual const std::optional<Upload>& upload() const = 0;
    /// Ends it; refused() tells, and what has arrived is kept.
    virtual void cancel_upload() = 0;
    /// Asks for gateways, routers and what they report; answered by meshCame(). One question is under way at a time:
    /// others meanwhile, and those without a connection, are dropped.
    virtual void ask_mesh() = 0;
    /// How long before the moment that is shown the state of the mesh came that meshCame() tells now.
    virtual Duration mesh_age() const { return {}; }
    /// Likewise for the RSVP messages after this number (control::SignalRecord); answered by signalsCame().
    virtual void ask_signals(std::uint64_t after) = 0;
    /// Likewise for what is registered (control::ServiceWatch says what to ask); answered by servicesCame(), which
    /// may take control::watch_patience.
    virtual void ask_services(const control::WatchServices& question) = 0;
    /// Likewise for a page of receipts (control::ReceiptBook says which); answered by receiptsCame().
    virtual void ask_receipts(const control::QueryLog& question) = 0;
    /// Likewise for lines of the cluster's log; answered by logCame().
    virtual void ask_log(const control::QueryLog& question) = 0;
    /// Submits the task of an exception again; submitted() or refused() tells.
    virtual void retry_exception(std::uint64_t number) = 0;
    /// Takes it out of the exception queue; the state or refused() tells.
    virtual void drop_exception(std::uint64_t number) = 0;
    /// Asks a node for its state stores; answered by storesCame(), where it cannot with StoreList::error.
    virtual void ask_stores(const control::ListStores& question) = 0;
    /// Likewise for rows of one; answered by storeRowsCame().
    virtual void ask_store_rows(const control::ReadStore& question) = 0;
    /// Likewise for lines that processes wrote; answered by linesCame() or linesRefused().
    virtual void ask_lines(const control::QueryLines& question) = 0;
    /// What the instances of a task do in its steps is wanted for the next control::span_watch; whoever looks says so
    /// again before that. data() gets it; a cluster that cannot tell gives nothing.
    virtual void watch_spans(const TaskId& task) = 0;
    /// Lets the weights of a version go; the state or refused() tells.
    virtual void drop_version(std::uint64_t number) = 0;
    /// Makes a committed checkpoint, after this step of a task, a version that stays; the state or refused() tells.
    virtual void keep_checkpoint(const TaskId& task, std::int64_t step) = 0;
    /// Writes the model that a version is, with its weights, as an ONNX file of this machine; versionExported() or
    /// refused() tells, which may take minutes.
    virtual void export_version(std::uint64_t number, const QString& file) = 0;
    /// The node gets no new instances, and stages of trainings leave it; `undo`: it takes instances again. The state or
    /// refused() tells.
    virtual void drain_node(const NodeId& node, bool undo) = 0;
    /// What other cuts would gain a task that trains; adviceCame() or adviceRefused() tells, which may take a minute.
    virtual void ask_advice(const TaskId& task) = 0;
    /// Gives a task that trains another plan; recutDone() or recutRefused() tells, which may take minutes.
    virtual void recut(const control::Recut& wanted) = 0;
    // Faults on purpose, where control::MeshState::faults_allowed; refused() tells why not.
    virtual void fault_link(const control::LinkFault& fault) = 0;
    virtual void kill_router(const std::string& name) = 0;
    virtual void kill_instance(const std::string& sid) = 0;
    virtual void kill_node(const std::string& name) = 0;
    virtual void pause_instance(const std::string& sid, double seconds) = 0;
    /// The link between the two is whole again; without names all links.
    virtual void heal_faults(const std::string& a, const std::string& b) = 0;
    /// Asks for versions of the policy and who goes by which; answered by policiesCame(), as ask_mesh() is.
    virtual void ask_policies() = 0;
    /// "KEY=VALUE" each: a new version; policySet() or refused() tells.
    virtual void set_policies(const std::vector<std::string>& settings) = 0;
    /// The entries of that version again, as a new one; 0: of the one before.
    virtual void roll_back_policies(std::uint64_t version) = 0;
    /// What the settings would make of the tasks that run; policyTried() or refused() tells. Applies nothing.
    virtual void try_policies(const std::vector<std::string>& settings) = 0;
    /// Asks for functional modules; answered by modulesCame(), as ask_mesh() is.
    virtual void ask_modules() = 0;
    /// Modules that start_module() knows by name.
    virtual std::vector<std::string> known_modules() const = 0;
    /// Has an embedded cluster run it, `program` where it is not one of known_modules(); moduleChanged(), or refused()
    /// after up to 10 s.
    virtual void start_module(const std::string& name, const std::string& program) = 0;
    /// Ends its processes of that version; of all, and for good also one that hangs, where that is empty. Likewise.
    virtual void stop_module(const std::string& name, const std::string& version) = 0;
    /// That version of it advises from now on. Likewise.
    virtual void use_module(const std::string& name, const std::string& version) = 0;
    /// Tries to connect at once instead of waiting.
    virtual void retry() = 0;

Q_SIGNALS:
    /// All that was heard since the last time, before data() and status() take it: for who records it.
    void mailCame(const divisi::client::Mail& mail);
    void statusChanged();
    void dataChanged();
    void uploadChanged();
    void meshCame(const divisi::control::MeshState& mesh);
    void signalsCame(const divisi::control::Signals& signals);
    /// With the question that it answers: one that was asked twice is answered twice.
    void servicesCame(const divisi::control::WatchServices& question, const divisi::control::ServiceChanges& answer);
    void receiptsCame(const divisi::control::LogPage& page);
    /// With the question that it answers.
    void logCame(const divisi::control::QueryLog& question, const divisi::control::LogPage& page);
    // Each with the question that it answers.
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
    /// What was asked of a module is done.
    void moduleChanged();
    void submitted(const QString& task);
    void resultsSaved(const QString& file);
    void recutDone(const divisi::TaskId& task, const divisi::control::RecutDone& done);
    void recutRefused(const divisi::TaskId& task, const QString& why);
    void refused(const QString& what);
};

}  // namespace divisi::client
